/**
 * Reminders to clear a tag that this phone has asked for. A message has no content, so the page leaves here what the first one
 * after landing says.
 */

const STORE = "reminders";
const PLACE = "/reminders";
/** Later than this after landing, a message is about something else (milliseconds). */
const AT_MOST = 48 * 3_600_000;

interface Reminders {
  readonly words: string;
  /** By tag: when its trip lands (milliseconds since 1970). */
  readonly landings: Readonly<Record<string, number>>;
}

export async function keepReminder(device: string, landing: number, words: string): Promise<void> {
  const { landings } = await read(caches);
  await write(caches, { words, landings: { ...landings, [device]: landing } });
}

export async function forgetReminder(device: string): Promise<void> {
  const { words, landings } = await read(caches);
  const { [device]: _forgotten, ...others } = landings;
  await write(caches, { words, landings: others });
}

export const hasReminder = async (device: string): Promise<boolean> =>
  (await read(caches)).landings[device] !== undefined;

export const forgetReminders = (): Promise<boolean> => caches.delete(STORE);

/** What a message says that comes at `now`; undefined if it is no reminder. Each is shown once. */
export async function takeReminder(stored: CacheStorage, now: number): Promise<string | undefined> {
  const { words, landings } = await read(stored);
  const all = Object.entries(landings);
  const ahead = all.filter(([, landing]) => landing > now);
  if (ahead.length === all.length) return undefined;
  await write(stored, { words, landings: Object.fromEntries(ahead) });
  return all.some(([, landing]) => landing <= now && now < landing + AT_MOST) ? words : undefined;
}

async function read(stored: CacheStorage): Promise<Reminders> {
  const found = await stored.match(PLACE, { cacheName: STORE });
  return found ? ((await found.json()) as Reminders) : { words: "", landings: {} };
}

async function write(stored: CacheStorage, reminders: Reminders): Promise<void> {
  if (Object.keys(reminders.landings).length === 0) await stored.delete(STORE);
  else await (await stored.open(STORE)).put(PLACE, new Response(JSON.stringify(reminders)));
}
