import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import type { TaglatchError } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { NOTHING_TYPED, useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Controls.tsx";
import { AskDialog } from "./AskDialog.tsx";

/** Makes this device forget its person, where it has a journey of theirs. */
export function Forget(): JSX.Element {
  const { t } = useI18n();
  const { journeyCache } = useAppState();
  const navigate = useNavigate();
  const [forgetting, setForgetting] = createSignal(false);
  const forgotten = () => {
    setForgetting(false);
    navigate("/", { replace: true, state: { forgotten: true } });
  };
  return (
    <Show when={journeyCache.cached()}>
      <Words part="passenger">
        <Button kind="quiet" onClick={() => setForgetting(true)}>
          {t("passenger.cached.forget")}
        </Button>
        <Show when={forgetting()}>
          <ForgetDialog onClose={() => setForgetting(false)} onForgotten={forgotten} />
        </Show>
      </Words>
    </Show>
  );
}

/**
 * Signs out: session, key, certificate and the cached journey are removed from this device. Waiting work is
 * sent first.
 */
function ForgetDialog(props: {
  readonly onClose: () => void;
  readonly onForgotten: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { load, journeyCache, journeys, keepTyped } = useAppState();
  const request = createRequest();
  const forget = () => {
    // The person has read what would be lost, and agreed again.
    const force = request.error() !== undefined;
    return request.send(
      async () => (await load()).session.logout({ force }),
      async () => {
        await journeyCache.erase();
        await import("../service-worker/news.ts").then(({ endNews }) => endNews()).catch(() => undefined);
        keepTyped(NOTHING_TYPED);
        props.onForgotten();
        journeys.forget();
        // An answer that came in between was cached again.
        await journeyCache.erase();
      },
    );
  };
  const explain = ({ code }: TaglatchError) =>
    code === "outbox_not_empty" && <p>{t("passenger.cached.forgetWaiting")}</p>;
  return (
    <AskDialog
      title={t("passenger.cached.forgetTitle")}
      request={request}
      yes={t(request.error() ? "passenger.cached.forgetAnyway" : "passenger.cached.forgetYes")}
      working={t("passenger.cached.forgetting")}
      onYes={() => void forget()}
      onClose={props.onClose}
      explain={explain}
    >
      <p>{t("passenger.cached.forgetBody")}</p>
    </AskDialog>
  );
}
