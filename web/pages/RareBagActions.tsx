import { createSignal, type JSX, lazy, onMount, Show, Suspense } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { BagTraceChange, Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { SettleButtons } from "../job/UnresolvedCommits.tsx";
import {
  forgetReminder,
  hasPush,
  hasReminder,
  isSubscribed,
  keepReminder,
  keepWords,
  subscribe,
} from "../service-worker/news.ts";
import { useAppState } from "../state/app-state.tsx";
import { isAbout } from "../state/bag-state.ts";
import type { Bag } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Controls.tsx";
import { Dialog, More } from "../ui/Dialog.tsx";
import { wayOf } from "../ui/FlightLine.tsx";
import { interleaved2of5 } from "../ui/TagDrawing.tsx";
import { AskDialog } from "./AskDialog.tsx";
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

interface RemindProps {
  readonly journey: Journey;
  readonly device: string;
}

/** After landing, a notification on this phone; a calendar entry where there is none. */
function Remind(props: RemindProps): JSX.Element {
  const { t } = useI18n();
  const { isOn, working, turn } = createReminder(props);
  return (
    <>
      <Button kind="quiet" busy={working()} onClick={() => void turn()}>
        {t(isOn() ? "passenger.card.remindNot" : "passenger.card.remind")}
      </Button>
      <p class="soft small" role="status">
        <Show when={isOn()}>{t("passenger.card.reminded")}</Show>
      </p>
    </>
  );
}

function createReminder({ journey, device }: RemindProps) {
  const { t } = useI18n();
  const { load, elsewhere } = useAppState();
  const { working, send } = createRequest();
  const [isOn, setOn] = createSignal(false);
  const look = async () => setOn(hasPush() && (await hasReminder(device)) && (await isSubscribed()));
  onMount(() => void look().catch(() => undefined));

  const change = (what: BagTraceChange, take: () => Promise<void>) =>
    send(async () => (await load()).tags.changeTrace(device, what), take);
  const turnOn = async () => {
    const { pushKey } = hasPush() ? await elsewhere() : {};
    const endpoint = pushKey && (await subscribe(pushKey).catch(() => undefined));
    const answered =
      endpoint &&
      (await change({ pushEndpoint: endpoint, remindToClear: true }, async () => {
        await keepReminder(device, landingOf(journey), t("passenger.arrival.title"));
        await keepWords(t("passenger.found.news"));
      }));
    if (answered !== "done") saveReminder(journey, device, t("passenger.card.reminder", tagName(device)));
  };
  const turn = async () => {
    if (working()) return;
    await (isOn() ? change({ pushEndpoint: "" }, () => forgetReminder(device)) : turnOn());
    await look().catch(() => undefined);
  };
  return { isOn, working, turn };
}

/** Time to leave the aircraft and take the bag (milliseconds). */
const AFTER_LANDING = 3_600_000;
const DAY = 86_400_000;

/** When the last flight has landed (milliseconds since 1970). */
function landingOf({ flights }: Journey): number {
  const last = flights.at(-1);
  // Without a timetable, an hour before noon of the next day is after landing almost everywhere.
  return Date.parse(last?.scheduledArrival ?? `${last?.date}T11:00Z`) + (last?.scheduledArrival ? 0 : DAY);
}

/**
 * A calendar entry after landing (RFC 5545), which reminds of the label where no message can: for every phone, without an
 * account. `now`: milliseconds since 1970.
 */
export function reminderOf(
  journey: Journey,
  { summary, address, now }: { readonly summary: string; readonly address: string; readonly now: number },
): string {
  const at = landingOf(journey) + AFTER_LANDING;
  const title = summary.replaceAll(/[\\;,]/g, "\\$&");
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Taglatch//EN",
    "BEGIN:VEVENT",
    `UID:clear-${journey.journeyId}-${at}`,
    `DTSTAMP:${stampOf(now)}`,
    `DTSTART:${stampOf(at)}`,
    "DURATION:PT15M",
    `SUMMARY:${title}`,
    `URL:${address}`,
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    `DESCRIPTION:${title}`,
    "TRIGGER:PT0M",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

const stampOf = (instant: number) => new Date(instant).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** Saves the file, which the phone's calendar opens. It names the tag, and nothing of the person or the trip. */
function saveReminder(journey: Journey, device: string, summary: string): void {
  const address = `${location.origin}/clear?tag=${encodeURIComponent(device)}`;
  const text = reminderOf(journey, { summary, address, now: Date.now() });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/calendar" }));
  link.download = "clear-tag.ics";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

interface ShowProps {
  readonly journey: Journey;
  readonly bag: Bag;
}

/** The bag's number, large and as a barcode, for a desk whose own list does not have it. Needs no network. */
export function ShowToStaff(props: ShowProps): JSX.Element {
  const { t } = useI18n();
  const [isOpen, setOpen] = createSignal(false);
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        {t("passenger.card.show")}
      </Button>
      <Show when={isOpen()}>
        <Dialog
          title={`${props.journey.passenger.surname} / ${props.journey.passenger.givenName}`}
          onCancel={() => setOpen(false)}
        >
          <Plate plate={props.bag.licencePlate} />
          <p class="code">
            {wayOf([props.journey.departureAirport, props.journey.destinationAirport])} ·{" "}
            {props.journey.flights.map(({ carrier, number }) => `${carrier} ${number}`).join(" · ")}
          </p>
          <Button wide onClick={() => setOpen(false)}>
            {t("app.close")}
          </Button>
        </Dialog>
      </Show>
    </>
  );
}

/** In modules of the symbol: the quiet zone on each side, the bars, the digits below. */
const QUIET = 12;
const BARS = 56;
const DIGITS = 14;

/** Black on white in every colour scheme: scanners read nothing else. */
function Plate(props: { readonly plate: string }): JSX.Element {
  return (
    <Show when={interleaved2of5(props.plate)}>
      {(code) => (
        <svg
          viewBox={`0 0 ${code().modules + 2 * QUIET} ${BARS + DIGITS}`}
          width="100%"
          role="img"
          aria-label={props.plate}
          direction="ltr"
          style={{ "forced-color-adjust": "none" }}
        >
          <rect width="100%" height="100%" fill="#fff" />
          <path
            shape-rendering="crispEdges"
            d={code()
              .bars.map(([at, width]) => `M${at + QUIET} 4h${width}v${BARS - 4}h-${width}z`)
              .join("")}
          />
          <text x="50%" y={BARS + DIGITS - 3} font-size="11" font-weight="700" text-anchor="middle">
            {props.plate}
          </text>
        </svg>
      )}
    </Show>
  );
}
