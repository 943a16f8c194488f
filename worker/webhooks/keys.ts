/**
 * The signing keys of a webhook, as the text that is sealed in its row: a line each, the newest first. Older ones have
 * their end behind a space, in milliseconds since 1970.
 */

/** Milliseconds that a key still signs once there is a newer one: the listener installs the new one in that time. */
export const KEY_OVERLAP = 24 * 3_600_000;

/** The keys in `text` that sign at `now` (milliseconds since 1970), the newest first. */
export const keysAt = (text: string, now: number): readonly string[] =>
  read(text)
    .filter(({ end }) => now < end)
    .map(({ key }) => key);

/** `text` with `fresh` as the newest; those before it end a day from `now` at the latest. */
export const withNewKey = (text: string, fresh: string, now: number): string =>
  [
    fresh,
    ...read(text)
      .filter(({ end }) => now < end)
      .map(({ key, end }) => `${key} ${Math.min(end, now + KEY_OVERLAP)}`),
  ].join("\n");

const read = (text: string) =>
  text.split("\n").map((line) => {
    const [key = "", end] = line.split(" ");
    return { key, end: end === undefined ? Number.POSITIVE_INFINITY : Number(end) };
  });
