/** What this browser can do, and when it has time. */
import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Reasons for missing Web Bluetooth that a person can do something about. */
type LackingBrowser = "ios" | "inApp";

/**
 * Undefined for any other browser. Used only to choose a sentence: what a browser can do is asked of the
 * platform. iPads call themselves Macs; their touch screen distinguishes them.
 */
export function lackingBrowser({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, "userAgent" | "maxTouchPoints">): LackingBrowser | undefined {
  const apple = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  if (apple) return "ios";
  // Android's WebView, and the browsers inside well-known apps.
  return /; wv\)|\bFB(?:AN|AV)\b|Instagram|MicroMessenger/.test(userAgent) ? "inApp" : undefined;
}

/** Virtual tags come and go while a page is open. */
const [changes, setChanges] = createSignal(0);

/** Whether this browser cannot reach tags. Over http no browser has Bluetooth, and another one would not help. */
export const cannotReachTags = (): boolean => {
  changes();
  return window.isSecureContext && navigator.bluetooth === undefined;
};

/** Whether this browser can name the tags of earlier visits: Chromium keeps that behind a flag. */
export const remembersTags = (): boolean => typeof navigator.bluetooth?.getDevices === "function";

/** `navigator.bluetooth` is another now. */
export const bluetoothChanged = (): void => {
  setChanges((before) => before + 1);
};

/** Whether the browser has any network. That it has one does not mean that the service answers. */
export function createOnline(): Accessor<boolean> {
  const [online, setOnline] = createSignal(navigator.onLine);
  listen(["online", "offline"], () => setOnline(navigator.onLine));
  return online;
}

/** Listens to what reaches the window, until the component is gone. */
export function listen<Name extends keyof Events>(
  names: readonly Name[],
  listener: (event: Events[Name]) => void,
  options?: AddEventListenerOptions,
): void {
  for (const name of names) {
    addEventListener(name, listener as EventListener, options);
    onCleanup(() => removeEventListener(name, listener as EventListener, options));
  }
}

/** Those of the document reach the window, too. */
type Events = WindowEventMap & DocumentEventMap;

/** What this browser keeps under `name`: null is nothing, undefined that it may not keep anything. */
export function kept(name: string): string | null | undefined {
  try {
    return localStorage.getItem(name);
  } catch {
    return undefined;
  }
}

/** Keeps `value` under `name`; null removes it. */
export function keep(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // Storage is forbidden, or full: the next visit begins without it.
  }
}

/** Longest wait (milliseconds) on a page that is never idle. */
const PATIENCE = 1_000;

/**
 * Loads what is needed soon. Not offline: Chromium keeps a module that failed as failed until the page is loaded again, and
 * its use, online, would fail, too.
 */
export function loadAhead(
  load: () => Promise<unknown>,
  { onLine }: Pick<Navigator, "onLine"> = navigator,
): void {
  if (onLine) void load().catch(() => undefined);
}

/**
 * Does `work` after the screen has been drawn, once the browser has nothing more urgent to do: what is on the
 * screen comes before what may be needed next. Does it at once where nothing is drawn.
 */
export function whenIdle(work: () => void): void {
  if (document.hidden) {
    work();
    return;
  }
  // When the callbacks of the first frame run, it is only being drawn; at the second, it has been seen.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: PATIENCE });
      // Safari.
      else setTimeout(work);
    }),
  );
}
