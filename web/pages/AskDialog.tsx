import { type JSX, Show } from "solid-js";
import type { TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import type { Request } from "../state/create-request.ts";
import { Button } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";

interface AskDialogProps {
  readonly title: string;
  /** The request; the dialog shows its outcome. */
  readonly request: Request;
  readonly yes: string;
  /** Shown instead of `yes` while the request runs. */
  readonly working: string;
  readonly onYes: () => void;
  readonly onClose: () => void;
  /** What went wrong, if the error's own words do not fit here. */
  readonly explain?: (error: TaglatchError) => JSX.Element | false;
  readonly children: JSX.Element;
}

/** One question, and the request that a yes sends. */
export function AskDialog(props: AskDialogProps): JSX.Element {
  const { t } = useI18n();
  return (
    <Dialog title={props.title} onCancel={props.onClose}>
      {props.children}
      <div role="alert" class="alert-slot">
        <Show when={props.request.error()}>
          {(error) => props.explain?.(error()) || <ErrorPanel error={error()} />}
        </Show>
      </div>
      <div class="proof-buttons">
        <Button wide onClick={props.onClose}>
          {t("app.cancel")}
        </Button>
        <Button kind="primary" wide busy={props.request.working()} onClick={props.onYes}>
          {props.request.working() ? props.working : props.yes}
        </Button>
      </div>
    </Dialog>
  );
}
