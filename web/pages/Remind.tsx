import { createSignal, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { BagTraceChange, Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { hasPush, isSubscribed, keepWords, subscribe } from "../service-worker/news.ts";
import { forgetReminder, hasReminder, keepReminder } from "../service-worker/reminders.ts";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";

interface RemindProps {
  readonly journey: Journey;
  readonly device: string;
}

/** After landing, a notification on this phone; a calendar entry where there is none. */
export function Remind(props: RemindProps): JSX.Element {
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
