import { createSignal, type JSX, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { asTaglatchError, type TaglatchError } from "../sdk/errors.ts";
import type { Journey } from "../sdk/types.ts";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { Notice } from "../ui/Notice.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";

/** One bag more on the journey, after one question; how many there may be the service knows. */
export function AddBag(props: { readonly journey: Journey }): JSX.Element {
  const { t } = useI18n();
  const [asking, setAsking] = createSignal(false);
  const [added, setAdded] = createSignal<number>();
  return (
    <Words part="passenger">
      <div class="row">
        <Button
          onClick={() => {
            setAdded(undefined);
            setAsking(true);
          }}
        >
          {t("passenger.addBag.action")}
        </Button>
        <p class="soft small" role="status">
          <Show when={added()}>{(number) => t("passenger.addBag.added", number())}</Show>
        </p>
      </div>
      <Show when={asking()}>
        <AddBagDialog journey={props.journey} onAdded={setAdded} onClose={() => setAsking(false)} />
      </Show>
    </Words>
  );
}

function AddBagDialog(props: {
  readonly journey: Journey;
  /** How many bags there are now. */
  readonly onAdded: (count: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { t } = useI18n();
  const { journeys } = useAppState();
  const [working, setWorking] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  // The bag after those seen when this was asked: however often it is sent, it is one.
  const slot = props.journey.baggage.length + 1;

  const add = async () => {
    setWorking(true);
    setError(undefined);
    try {
      const answer = await journeys.addBag(props.journey.journeyId, slot);
      if (!answer.ok) return void setError(answer.error);
      props.onAdded(answer.value.baggage.length);
      props.onClose();
    } catch (thrown) {
      setError(asTaglatchError(thrown));
    } finally {
      setWorking(false);
    }
  };

  return (
    <Dialog title={t("passenger.addBag.title")} onCancel={props.onClose}>
      <p>{t("passenger.addBag.body")}</p>
      <div role="alert" class="alert-slot">
        <Show when={error()}>{(problem) => <Refusal error={problem()} />}</Show>
      </div>
      <div class="proof-buttons">
        <Button wide onClick={props.onClose}>
          {t("app.cancel")}
        </Button>
        <Button kind="primary" wide busy={working()} onClick={() => void add()}>
          {t(working() ? "passenger.addBag.working" : "passenger.addBag.action")}
        </Button>
      </div>
    </Dialog>
  );
}

/** Without a range of its own the airline would have to be told a licence plate (decisions §4): only staff have one. */
function Refusal(props: { readonly error: TaglatchError }): JSX.Element {
  const { t } = useI18n();
  return (
    <Show
      when={props.error.code === "required_info_not_provided"}
      fallback={<ErrorPanel error={props.error} />}
    >
      <Notice tone="bad" title={t("passenger.addBag.noRange")}>
        <p>{t("passenger.addBag.noRangeNext")}</p>
      </Notice>
    </Show>
  );
}
