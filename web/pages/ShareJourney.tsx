import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { Button } from "../ui/Button.tsx";

const ShareDialog = lazy(async () => ({ default: (await import("./ShareDialog.tsx")).ShareDialog }));

/** The journey's address for another device of the same person. It opens nothing there without the booking. */
export function ShareJourney(props: { readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  const [open, setOpen] = createSignal(false);
  return (
    <Words part="passenger">
      <Button kind="quiet" icon="scan" onClick={() => setOpen(true)}>
        {t("passenger.share.action")}
      </Button>
      <Suspense>
        <Show when={open()}>
          <ShareDialog
            address={`${location.origin}/journeys/${props.journeyId}`}
            onClose={() => setOpen(false)}
          />
        </Show>
      </Suspense>
    </Words>
  );
}
