import { useNavigate } from "@solidjs/router";
import { createSignal, type JSX, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { useAppState } from "../state/app-state.tsx";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ForgetDialog } from "./ForgetDialog.tsx";

/** What is seldom wanted: another journey, a tag of an earlier one, and a way to make this device forget. */
export function JourneyFoot(props: {
  readonly other?: boolean;
  readonly children?: JSX.Element;
}): JSX.Element {
  const { t } = useI18n();
  const { keeping } = useAppState();
  const navigate = useNavigate();
  const [forgetting, setForgetting] = createSignal(false);
  const forgotten = () => {
    setForgetting(false);
    navigate("/", { replace: true, state: { forgotten: true } });
  };
  return (
    <nav class="foot" aria-label={t("journey.foot")}>
      <Show when={props.other}>
        <ButtonLink href="/find" kind="quiet">
          {t("journey.other")}
        </ButtonLink>
      </Show>
      {props.children}
      <ButtonLink href="/clear" kind="quiet">
        {t("start.clearAction")}
      </ButtonLink>
      <Show when={keeping.kept()}>
        <Words part="passenger">
          <Button kind="quiet" onClick={() => setForgetting(true)}>
            {t("passenger.kept.forget")}
          </Button>
          <Show when={forgetting()}>
            <ForgetDialog onClose={() => setForgetting(false)} onForgotten={forgotten} />
          </Show>
        </Words>
      </Show>
    </nav>
  );
}
