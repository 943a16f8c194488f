/**
 * Sends how an operation ended to a service that counts it (rules §8): nothing of the person, tag or device by which it
 * could be known again. Loaded only where the host consents, and after the first operation.
 */
import { type endpoints, Outcome, type OutcomesRequest, parseAnswer } from "../core/api/index.ts";
import { neverCancelled } from "./abort.ts";
import type { RunRecord } from "./api.ts";
import { type Configuration, countsOutcomes } from "./configuration.ts";
import type { OutcomesConsent } from "./types.ts";

const PATH: (typeof endpoints)["outcomes"]["path"] = "/v2/outcomes";

export interface OutcomeParts {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly consent: OutcomesConsent;
}

/** Never throws: what cannot be sent is dropped. */
export async function sendOutcome(parts: OutcomeParts, run: RunRecord): Promise<void> {
  const { baseUrl, fetch: send, configuration, consent } = parts;
  try {
    if (!countsOutcomes(await configuration(neverCancelled()), consent)) return;
    const platform =
      typeof consent === "object"
        ? consent
        : await platformOf(globalThis.navigator as ClientHints | undefined);
    const outcome = outcomeOf(run, platform);
    if (outcome === undefined) return;
    await send(baseUrl + PATH, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ outcomes: [outcome] } satisfies OutcomesRequest),
      // A person closes the page when the tag is done.
      keepalive: true,
      credentials: "omit",
    });
  } catch {
    // No run depends on it.
  }
}

/** Browser or app, and operating system, each as `name/major`. */
export interface Platform {
  readonly app: string;
  readonly os: string;
}

/**
 * What of a run is counted. A model or firmware that may be a serial number is left out; undefined where a host's `platform`
 * has another form.
 */
export function outcomeOf(run: RunRecord, platform: Platform): Outcome | undefined {
  const { operation, outcome, generation, model, firmware } = run;
  const phase = run.phases.at(-1)?.phase;
  const milliseconds = Math.min(Math.round(run.elapsed / 100) * 100, 600_000);
  const counted = { operation, phase, outcome, generation, model, firmware, ...platform, milliseconds };
  const parsed = parseAnswer(Outcome, JSON.parse(JSON.stringify(counted)));
  return parsed.ok ? parsed.value : undefined;
}

/** User-Agent Client Hints (WICG), which TypeScript's DOM does not have. */
export interface ClientHints {
  readonly userAgentData?: {
    readonly brands: readonly { readonly brand: string; readonly version: string }[];
    readonly platform: string;
    getHighEntropyValues(hints: readonly ["platformVersion"]): Promise<{ readonly platformVersion?: string }>;
  };
}

const UNKNOWN = "other/0";

/** `other/0` where the browser does not say. */
export async function platformOf({ userAgentData }: ClientHints = {}): Promise<Platform> {
  if (userAgentData === undefined) return { app: UNKNOWN, os: UNKNOWN };
  const { brands, platform } = userAgentData;
  // One is made up, so that pages do not rely on their number (WICG: GREASE); Chromium is named by what is built on it, too.
  const named = brands.filter(({ brand }) => !/not.*brand/i.test(brand));
  const own = named.find(({ brand }) => brand !== "Chromium") ?? named[0];
  const { platformVersion = "" } = await userAgentData
    .getHighEntropyValues(["platformVersion"])
    .catch(() => ({ platformVersion: "" }));
  return { app: versioned(own?.brand, own?.version), os: versioned(platform, platformVersion) };
}

const versioned = (name = "", version = "") => {
  const plain = name.toLowerCase().replace(/[^a-z0-9 ]/g, "");
  return plain === "" ? UNKNOWN : `${plain.slice(0, 20)}/${Number.parseInt(version, 10) || 0}`;
};
