import { createSignal } from "solid-js";
import type { KioskPlace, Theme } from "../../core/api/index.ts";
import type { AirlineBrand } from "../ui/Wordmark.tsx";
import { keep, kept } from "./browser.ts";

const PATH = "/.well-known/ebt-configuration";

/** Ways out for a browser without Bluetooth, and to a browser whose page is closed. */
export interface Elsewhere {
  readonly kiosks?: readonly KioskPlace[];
  readonly iosBrowser?: string;
  readonly iosApp?: string;
  /** `applicationServerKey` for Web Push. */
  readonly pushKey?: string;
}

/** What the page itself reads from the configuration before there is an SDK. */
interface Installation extends Elsewhere {
  readonly environment?: string;
  /** The airline's look, as the service has checked it (core/api/configuration.ts). */
  readonly theme?: Theme;
  /** Origins of host apps that may hand a traveller over by message. */
  readonly handOverOrigins?: readonly string[];
}

/** One request for all callers; undefined offline, or if no service answers. */
export function askInstallation(): () => Promise<Installation | undefined> {
  let answer: Promise<Installation | undefined> | undefined;
  return () => (answer ??= ask());
}

async function ask(): Promise<Installation | undefined> {
  try {
    const response = await fetch(PATH);
    const configuration: unknown = await response.json();
    return typeof configuration === "object" && configuration !== null ? configuration : undefined;
  } catch {
    // Then nothing of the installation can be shown, and nothing needs to be.
    return undefined;
  }
}

/**
 * The airline's brand on this page: name and logo for the components that draw them, colours as custom
 * properties of the document (CSSOM, which the Content-Security-Policy allows; it would not allow a style
 * attribute). Remembered, so that the next visit starts with it.
 */
const REMEMBERED = "taglatch.look";
const TOKENS = {
  accent: "--accent",
  strong: "--accent-strong",
  wash: "--accent-wash",
  fill: "--accent-fill",
  fillStrong: "--accent-fill-strong",
  ink: "--accent-ink",
} as const;
const VALUE = /^light-dark\(#[0-9a-f]{6}, #[0-9a-f]{6}\)$/;

type Properties = Readonly<Record<string, string>>;
interface Kept extends AirlineBrand {
  readonly properties?: Properties;
}

/** The brand of the previous visit, already applied; the name is the document's, where the service has put one there. */
export function rememberedBrand(): AirlineBrand {
  const look = read();
  apply(look.properties ?? {});
  const { title } = document;
  return title === "Taglatch" ? look : { ...look, name: title };
}

/** The brand of this installation, applied and remembered; undefined if it could not be loaded. */
export async function installedBrand(
  installation: () => Promise<Installation | undefined>,
): Promise<AirlineBrand | undefined> {
  const answer = await installation();
  if (answer === undefined) return undefined;
  const { accent, accentDark, ...brand } = answer.theme ?? {};
  const properties = accent === undefined ? {} : await propertiesOf(accent, accentDark ?? accent);
  apply(properties);
  keep(REMEMBERED, JSON.stringify({ ...brand, properties } satisfies Kept));
  return brand;
}

/** The colour arithmetic loads only if there are colours. */
async function propertiesOf(light: string, dark: string): Promise<Properties> {
  const { accentColours } = await import("../ui/theme.ts");
  const [day, night] = [accentColours(light, "light"), accentColours(dark, "dark")];
  const names = Object.keys(TOKENS) as (keyof typeof TOKENS)[];
  return Object.fromEntries(names.map((name) => [TOKENS[name], `light-dark(${day[name]}, ${night[name]})`]));
}

function apply(properties: Properties): void {
  const { style } = document.documentElement;
  for (const token of Object.values(TOKENS)) {
    const value = properties[token];
    if (value !== undefined && VALUE.test(value)) style.setProperty(token, value);
    else style.removeProperty(token);
  }
}

function read(): Kept {
  try {
    return JSON.parse(kept(REMEMBERED) ?? "{}") as Kept;
  } catch {
    // The value is not ours: the page uses its own look.
    return {};
  }
}

/** A booking that a link carries; the person has not confirmed it yet. */
export interface LinkedBooking {
  readonly recordLocator: string;
  readonly surname: string;
}

/** What came in the address's fragment, until it is used or its screen is left. */
export type Arrived = ReturnType<typeof takeFragment>;

const TOKEN = "#token=";
const BOOKING = "#booking=";
const CODE = /^#([\w-]{22})$/;

/**
 * Takes a token or a booking out of the address before anything else happens: it is not in the history, not in a bookmark,
 * and not there after a reload. A link followed while the page is open does not reload it, and is wiped as well.
 */
export function takeFragment() {
  const [booking, setBooking] = createSignal<LinkedBooking>();
  const [code, setCode] = createSignal<string>();
  const take = () => {
    const { hash, pathname, search } = location;
    if (pathname === "/with" && hash !== "") {
      history.replaceState(history.state, "", pathname + search);
      setCode(CODE.exec(hash)?.[1]);
      return undefined;
    }
    const prefix = [TOKEN, BOOKING].find((each) => hash.startsWith(each));
    if (prefix === undefined) return undefined;
    history.replaceState(history.state, "", pathname + search);
    const text = hash.slice(prefix.length);
    if (prefix === BOOKING && isTagScreen(pathname)) setBooking(bookingOf(text));
    return prefix === TOKEN && pathname === "/handover" ? text : undefined;
  };
  const token = take();
  // Before the router reads the new address.
  addEventListener("popstate", take);
  return {
    /** A host app's traveller: only the screen `/handover` asks whether to use it. */
    token,
    /** Only the screen `/t` asks whether it is theirs. */
    booking,
    dropBooking: () => void setBooking(undefined),
    /** Another person's code: only the screen `/with` asks whether to use it. */
    code,
    dropCode: () => void setCode(undefined),
  };
}

const isTagScreen = (pathname: string) => /^\/t(?:\/|$)/.test(pathname);

/** `ABC123/Lovelace`, percent-encoded; undefined for anything that is no booking. */
function bookingOf(text: string): LinkedBooking | undefined {
  try {
    const [, recordLocator, surname] =
      /^([A-Z0-9]{5,8})\/([\p{L}\p{M}][\p{L}\p{M} '’.-]{0,63})$/iu.exec(decodeURIComponent(text)) ?? [];
    return recordLocator && surname ? { recordLocator: recordLocator.toUpperCase(), surname } : undefined;
  } catch {
    // Not percent-encoding.
    return undefined;
  }
}
