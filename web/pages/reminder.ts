import type { Journey } from "../../sdk/index.ts";

/** A calendar entry after landing, which reminds of the label where no message can: for every phone, without an account. */

/** Time to leave the aircraft and take the bag (milliseconds). */
const AFTER_LANDING = 3_600_000;
const DAY = 86_400_000;

/** When the last flight has landed (milliseconds since 1970). */
export function landingOf({ flights }: Journey): number {
  const last = flights.at(-1);
  // Without a timetable, an hour before noon of the next day is after landing almost everywhere.
  return Date.parse(last?.scheduledArrival ?? `${last?.date}T11:00Z`) + (last?.scheduledArrival ? 0 : DAY);
}

/** The file's text (RFC 5545). `now`: milliseconds since 1970. */
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
export function saveReminder(journey: Journey, device: string, summary: string): void {
  const address = `${location.origin}/clear?tag=${encodeURIComponent(device)}`;
  const text = reminderOf(journey, { summary, address, now: Date.now() });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/calendar" }));
  link.download = "clear-tag.ics";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
