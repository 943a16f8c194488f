import { createSignal, type JSX, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { QrImage } from "../ui/QrImage.tsx";

/** The journey's address for another device of the same person. It opens nothing there without the booking. */
export function ShareJourney(props: { readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  const [open, setOpen] = createSignal(false);
  const close = () => setOpen(false);
  const address = () => `${location.origin}/journeys/${props.journeyId}`;
  return (
    <Words part="passenger">
      <Button kind="quiet" icon="scan" onClick={() => setOpen(true)}>
        {t("passenger.share.action")}
      </Button>
      <Show when={open()}>
        <Dialog title={t("passenger.share.action")} onCancel={close}>
          <p>{t("passenger.share.body")}</p>
          <QrImage text={address()} label={t("passenger.elsewhere.code", address())} />
          <Button wide autofocus onClick={close}>
            {t("app.close")}
          </Button>
        </Dialog>
      </Show>
    </Words>
  );
}
