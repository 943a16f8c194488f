import type { KioskPlace, Theme } from "../../core/api/index.ts";

const PATH = "/.well-known/ebt-configuration";

/** Ways out for a browser without Bluetooth, and to a browser whose page is closed. */
export interface Elsewhere {
  readonly kiosks?: readonly KioskPlace[];
  readonly iosBrowser?: string;
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
