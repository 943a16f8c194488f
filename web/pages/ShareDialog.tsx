import type { JSX } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { QrImage } from "../ui/QrImage.tsx";

/** An address of this page as a code; loaded on demand. */
export function ShareDialog(props: { readonly address: string; readonly onClose: () => void }): JSX.Element {
  const { t } = useI18n();
  return (
    <Dialog title={t("passenger.share.action")} onCancel={props.onClose}>
      <p>{t("passenger.share.body")}</p>
      <QrImage text={props.address} label={t("passenger.elsewhere.code", props.address)} />
      <Button wide autofocus onClick={props.onClose}>
        {t("app.close")}
      </Button>
    </Dialog>
  );
}
