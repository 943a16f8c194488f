import { createSignal, type JSX, onMount, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { asTaglatchError, type TaglatchError } from "../sdk/errors.ts";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";

export interface LostDialogProps {
  readonly device: string;
  /** As it is now; the dialog offers the other. */
  readonly lost: boolean;
  readonly onClose: () => void;
}

/** Reports a tag lost after one question; that it was found needs none and is done at once. */
export function LostDialog(props: LostDialogProps): JSX.Element {
  const { t } = useI18n();
  const { load, journeys } = useAppState();
  const [working, setWorking] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();
  // As it was when the dialog opened: the answer changes it.
  const { device, lost } = props;

  const change = async () => {
    setWorking(true);
    setError(undefined);
    try {
      const answer = await (await load()).tags.markLost(device, !lost);
      if (answer.ok) {
        journeys.markLost(device, answer.value.lost);
        props.onClose();
      } else setError(answer.error);
    } catch (thrown) {
      setError(asTaglatchError(thrown));
    } finally {
      setWorking(false);
    }
  };

  onMount(() => {
    if (lost) void change();
  });

  return (
    <Dialog
      title={lost ? t("passenger.lost.foundLabel", device) : t("passenger.lost.title", device)}
      onCancel={props.onClose}
    >
      <Show when={!lost}>
        <p>{t("passenger.lost.body")}</p>
      </Show>
      <div role="alert" class="alert-slot">
        <Show when={error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </div>
      <div class="proof-buttons">
        <Button wide onClick={props.onClose}>
          {t("app.cancel")}
        </Button>
        <Button kind="primary" wide busy={working()} onClick={() => void change()}>
          {working() ? t("passenger.lost.working") : t(lost ? "passenger.lost.found" : "passenger.lost.yes")}
        </Button>
      </div>
    </Dialog>
  );
}
