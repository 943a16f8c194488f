import { createSignal, type JSX, lazy, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n } from "../i18n/index.tsx";
import { SettleButtons } from "../job/UnresolvedCommits.tsx";
import { useAppState } from "../state/app-state.tsx";
import { isAbout } from "../state/bag-state.ts";
import type { Bag } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { Button } from "../ui/Button.tsx";
import { type OnTag, Rest } from "./BagActions.tsx";
import { LostDialog } from "./LostDialog.tsx";
import { ClearLink } from "./TagLinks.tsx";

/** What comes next for a bag that has landed, that is away, or whose tag is unknown: most cards need none of it. */

const TraceDialog = lazy(async () => ({ default: (await import("./TraceDialog.tsx")).TraceDialog }));

/** The last flight has landed: the old label should go. */
export function Landed(props: OnTag): JSX.Element {
  return (
    <div class="bag-actions">
      <Show when={!cannotReachTags()}>
        <ClearLink device={props.device} kind={props.isNext ? "primary" : "secondary"} wide />
      </Show>
      <Rest {...props} />
    </div>
  );
}

/** The bag is lost, or another person has found it: where it is, and that it is back. */
export function Away(props: { readonly device: string; readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  const [open, setOpen] = createSignal<"trace" | "back">();
  const close = () => setOpen(undefined);
  const named = (words: string) => `${words} (${tagName(props.device)})`;
  return (
    <div class="bag-actions">
      <Button kind="primary" label={named(t("passenger.found.trace"))} onClick={() => setOpen("trace")}>
        {t("passenger.found.trace")}
      </Button>
      <Button label={named(t("passenger.lost.found"))} onClick={() => setOpen("back")}>
        {t("passenger.lost.found")}
      </Button>
      <Show when={open() === "trace"}>
        <Suspense>
          <TraceDialog device={props.device} journeyId={props.journeyId} onClose={close} />
        </Suspense>
      </Show>
      <Show when={open() === "back"}>
        <LostDialog device={props.device} lost onClose={close} />
      </Show>
    </div>
  );
}

/** Only its tag knows whether it took a label: the person holds it near. */
export function Check(props: { readonly bag: Bag }): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useAppState();
  const entry = () => outbox.unresolved.entries().find((each) => isAbout(props.bag, each));
  return (
    <Show when={entry()}>
      {(each) => (
        <>
          <p class="small">{t("outbox.askingBody")}</p>
          <div class="bag-actions">
            <SettleButtons unresolved={outbox.unresolved} entry={each()} kind="primary" />
          </div>
        </>
      )}
    </Show>
  );
}
