/**
 * Web Push, as the browser's service brings it: a message without content, so there is one notification for all. Page and
 * service worker share what it says: the page knows the words and the language.
 */
import { forgetReminders, takeReminder } from "./reminders.ts";

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
