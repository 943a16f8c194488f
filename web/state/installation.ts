import type { KioskPlace, Theme } from "../../core/api/index.ts";
import type { AirlineBrand } from "../ui/Wordmark.tsx";

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
export interface Installation extends Elsewhere {
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
  const kept = read();
  apply(kept.properties ?? {});
  const { title } = document;
  return title === "Taglatch" ? kept : { ...kept, name: title };
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
  keep({ ...brand, properties });
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
    return JSON.parse(localStorage.getItem(REMEMBERED) ?? "{}") as Kept;
  } catch {
    // Storage is forbidden, or the value is not ours: the page uses its own look.
    return {};
  }
}

function keep(look: Kept): void {
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify(look));
  } catch {
    // Storage is forbidden: the next visit loads the brand again.
  }
}
