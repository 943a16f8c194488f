import { type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n } from "../i18n/index.tsx";
import { forgetReminder } from "../service-worker/reminders.ts";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { AskDialog } from "./AskDialog.tsx";

interface LostDialogProps {
  readonly device: string;
  /** Whether it is lost now; the dialog offers the opposite. */
  readonly lost: boolean;
  readonly onClose: () => void;
}

/** Reports a tag lost after one question; reporting it found needs no question and is done at once. */
export function LostDialog(props: LostDialogProps): JSX.Element {
  const { t } = useI18n();
  const { load, journeys } = useAppState();
  const request = createRequest();
  // The state when the dialog opened: the answer changes it.
  const { device, lost } = props;
  const change = () =>
    request.send(
      async () => (await load()).tags.markLost(device, !lost),
      (now) => {
        journeys.markLost(device, now.lost);
        // The next message is about where the bag is.
        if (now.lost) void forgetReminder(device).catch(() => undefined);
        props.onClose();
      },
    );
  onMount(() => {
    if (lost) void change();
  });
  return (
    <AskDialog
      title={t(lost ? "passenger.lost.foundLabel" : "passenger.lost.title", tagName(device))}
      request={request}
      yes={t(lost ? "passenger.lost.found" : "passenger.lost.report")}
      working={t("app.loading")}
      onYes={() => void change()}
      onClose={props.onClose}
    >
      <Show when={!lost}>
        <p>{t("passenger.lost.body")}</p>
      </Show>
    </AskDialog>
  );
}
