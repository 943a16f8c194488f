/**
 * Web Push, as the browser's service brings it: a message without content, so there is one notification for all. Page and
 * service worker share what it says: the page knows the words and the language.
 */

const KEPT = "news";
const PLACE = "/news";
const ENGLISH = "There is news about your bag";

/** What a notification is to say from now on, in the language of the page; nothing is kept for people who get none. */
export async function keepWords(words: string): Promise<void> {
  if (words === "" || !isAllowed()) return;
  await (await caches.open(KEPT)).put(PLACE, new Response(words));
}

const isAllowed = () => "Notification" in globalThis && Notification.permission === "granted";

const forgetWords = () => caches.delete(KEPT);

/** Notifications and windows, as a service worker has them. */
export interface Windows {
  readonly registration: {
    showNotification(title: string, options: { tag: string; icon: string }): Promise<void>;
  };
  readonly clients: {
    matchAll(options: { type: "window" }): Promise<readonly { focus(): Promise<unknown> }[]>;
    openWindow(address: string): Promise<unknown>;
  };
}

/**
 * One notification, however many messages came: after landing a reminder that the phone asked for, else news. A browser takes
 * the right to push from pages that show none. `now`: milliseconds since 1970.
 */
export async function showNews({ registration }: Windows, kept: CacheStorage, now: number): Promise<void> {
  const reminder = await takeReminder(kept, now).catch(() => undefined);
  const words = await kept.match(PLACE, { cacheName: KEPT }).catch(() => undefined);
  const title = reminder || (await words?.text()) || ENGLISH;
  await registration.showNotification(title, { tag: KEPT, icon: "/icon.svg" });
}

/** Focuses an open page without navigating, because a job may run there; else opens the start page. */
export async function openPage({ clients }: Windows): Promise<void> {
  const [open] = await clients.matchAll({ type: "window" });
  await (open === undefined ? clients.openWindow("/") : open.focus());
}

/** Whether this browser has Web Push at all; on an iPhone only an installed page has. */
export const hasPush = () =>
  "PushManager" in window && "Notification" in window && "serviceWorker" in navigator;

/** Whether this browser has a subscription. */
export const isSubscribed = async (): Promise<boolean> => isAllowed() && (await subscription()) !== undefined;

/**
 * The address at which the browser's push service takes messages signed by `key`; undefined where the person or the browser
 * refuses. Asks for permission, so it is called by a tap and by nothing else.
 */
export async function subscribe(key: string): Promise<string | undefined> {
  if ((await Notification.requestPermission()) !== "granted") return undefined;
  const pushManager = await manager();
  if (pushManager === undefined) return undefined;
  const options = { userVisibleOnly: true, applicationServerKey: key };
  try {
    return (await pushManager.subscribe(options)).endpoint;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    // Subscribed with a key that the service no longer has, or with a browser that has no push service.
    if (error.name !== "InvalidStateError") return undefined;
    await (await pushManager.getSubscription())?.unsubscribe();
    return (await pushManager.subscribe(options)).endpoint;
  }
}

/** Unsubscribes: the push service then refuses messages, and our service forgets the address. */
export async function endNews(): Promise<void> {
  if (!hasPush()) return;
  await (await subscription())?.unsubscribe();
  await Promise.all([forgetWords(), forgetReminders()]);
}

const subscription = async () => (await (await manager())?.getSubscription()) ?? undefined;

/** Not `ready`: without a service worker that would never settle. */
const manager = async () => (await navigator.serviceWorker.getRegistration())?.pushManager;

/**
 * Reminders to clear a tag that this phone has asked for. A message has no content, so the page leaves here what the first one
 * after landing says.
 */

const STORE = "reminders";
const REMINDERS = "/reminders";
/** Later than this after landing, a message is about something else (milliseconds). */
const AT_MOST = 48 * 3_600_000;

interface Reminders {
  readonly words: string;
  /** By tag: when its trip lands (milliseconds since 1970). */
  readonly landings: Readonly<Record<string, number>>;
}

export async function keepReminder(device: string, landing: number, words: string): Promise<void> {
  const { landings } = await readReminders(caches);
  await writeReminders(caches, { words, landings: { ...landings, [device]: landing } });
}

export async function forgetReminder(device: string): Promise<void> {
  const { words, landings } = await readReminders(caches);
  const { [device]: _forgotten, ...others } = landings;
  await writeReminders(caches, { words, landings: others });
}

export const hasReminder = async (device: string): Promise<boolean> =>
  (await readReminders(caches)).landings[device] !== undefined;

export const forgetReminders = (): Promise<boolean> => caches.delete(STORE);

/** What a message says that comes at `now`; undefined if it is no reminder. Each is shown once. */
async function takeReminder(stored: CacheStorage, now: number): Promise<string | undefined> {
  const { words, landings } = await readReminders(stored);
  const all = Object.entries(landings);
  const ahead = all.filter(([, landing]) => landing > now);
  if (ahead.length === all.length) return undefined;
  await writeReminders(stored, { words, landings: Object.fromEntries(ahead) });
  return all.some(([, landing]) => landing <= now && now < landing + AT_MOST) ? words : undefined;
}

async function readReminders(stored: CacheStorage): Promise<Reminders> {
  const found = await stored.match(REMINDERS, { cacheName: STORE });
  return found ? ((await found.json()) as Reminders) : { words: "", landings: {} };
}

async function writeReminders(stored: CacheStorage, reminders: Reminders): Promise<void> {
  if (Object.keys(reminders.landings).length === 0) await stored.delete(STORE);
  else await (await stored.open(STORE)).put(REMINDERS, new Response(JSON.stringify(reminders)));
}
