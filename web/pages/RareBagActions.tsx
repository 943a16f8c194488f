import { createSignal, type JSX, lazy, onMount, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { SettleButtons } from "../job/UnresolvedCommits.tsx";
import { forgetReminder } from "../service-worker/reminders.ts";
import { useAppState } from "../state/app-state.tsx";
import { isAbout } from "../state/bag-state.ts";
import type { Bag } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import { More } from "../ui/More.tsx";
import { AskDialog } from "./AskDialog.tsx";
import { Remind } from "./Remind.tsx";
import { ShowToStaff } from "./ShowToStaff.tsx";
import { ClearLink } from "./TagLinks.tsx";

/** What comes next for a bag that has landed, that is away, or whose tag is unknown: most cards need none of it. */

const TraceDialog = lazy(async () => ({ default: (await import("./TraceDialog.tsx")).TraceDialog }));

interface OnTag {
  readonly journey: Journey;
  readonly bag: Bag;
  readonly device: string;
  readonly number: number;
  readonly isNext: boolean;
}

/** The last flight has landed: the old label should go. */
export function Landed(props: OnTag): JSX.Element {
  const { t } = useI18n();
  return (
    <div class="bag-actions">
      <Show when={!cannotReachTags()}>
        <ClearLink device={props.device} kind={props.isNext ? "primary" : "secondary"} wide />
      </Show>
      <More label={t("passenger.card.more", props.number)}>
        <Show when={!props.journey.delegationId}>
          <ReportLost device={props.device} />
        </Show>
        <ShowToStaff journey={props.journey} bag={props.bag} />
      </More>
    </div>
  );
}

/** What the card of a bag on its way has behind one button. Only the holder may report a tag lost. */
export function RareActions(props: OnTag): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Show when={!cannotReachTags()}>
        <ClearLink device={props.device} text={t("bag.clear")} wide />
      </Show>
      <ShowToStaff journey={props.journey} bag={props.bag} />
      <Show when={!props.journey.delegationId}>
        <Remind journey={props.journey} device={props.device} />
        <ReportLost device={props.device} />
      </Show>
    </>
  );
}

function ReportLost(props: { readonly device: string }): JSX.Element {
  const { t } = useI18n();
  const [asking, setAsking] = createSignal(false);
  return (
    <>
      <Button
        kind="quiet"
        label={`${t("passenger.lost.report")} (${tagName(props.device)})`}
        onClick={() => setAsking(true)}
      >
        {t("passenger.lost.report")}
      </Button>
      <Show when={asking()}>
        <LostDialog device={props.device} lost={false} onClose={() => setAsking(false)} />
      </Show>
    </>
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
          <p class="small">{t("passenger.unresolved.askingBody")}</p>
          <div class="bag-actions">
            <SettleButtons unresolved={outbox.unresolved} entry={each()} kind="primary" />
          </div>
        </>
      )}
    </Show>
  );
}

interface LostDialogProps {
  readonly device: string;
  /** Whether it is lost now; the dialog offers the opposite. */
  readonly lost: boolean;
  readonly onClose: () => void;
}

/** Reports a tag lost after one question; reporting it found needs no question and is done at once. */
function LostDialog(props: LostDialogProps): JSX.Element {
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
