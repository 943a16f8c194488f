import { createSignal, type JSX, Show } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { asTaglatchError, type TaglatchError } from "../sdk/errors.ts";
import { useAppState } from "../state/app-state.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { ErrorPanel } from "./ErrorPanel.tsx";

/** Signs out: session, key, certificate and the kept journey leave this device. Work that waits is sent first. */
export function ForgetDialog(props: { readonly onClose: () => void }): JSX.Element {
  const { t } = useI18n();
  const { load, keeping, journeys } = useAppState();
  const [working, setWorking] = createSignal(false);
  const [error, setError] = createSignal<TaglatchError>();

  const forget = async (force: boolean) => {
    setWorking(true);
    setError(undefined);
    try {
      const answer = await (await load()).session.logout({ force });
      if (answer.ok) {
        await keeping.erase();
        journeys.forget();
        props.onClose();
      } else setError(answer.error);
    } catch (thrown) {
      setError(asTaglatchError(thrown));
    } finally {
      setWorking(false);
    }
  };

  return (
    <Dialog title={t("passenger.kept.forgetTitle")} onCancel={props.onClose}>
      <p>{t("passenger.kept.forgetBody")}</p>
      <div role="alert" class="alert-slot">
        <Show when={error()}>
          {(problem) => (
            <Show when={problem().code === "outbox_not_empty"} fallback={<ErrorPanel error={problem()} />}>
              <p>{t("passenger.kept.forgetWaiting")}</p>
            </Show>
          )}
        </Show>
      </div>
      <div class="proof-buttons">
        <Button wide onClick={props.onClose}>
          {t("app.cancel")}
        </Button>
        <Button kind="primary" wide busy={working()} onClick={() => void forget(error() !== undefined)}>
          {working()
            ? t("passenger.kept.forgetting")
            : t(error() ? "passenger.kept.forgetAnyway" : "passenger.kept.forgetYes")}
        </Button>
      </div>
    </Dialog>
  );
}
