/**
 * `/.well-known/ebt-configuration`: whom to trust, and with which key to call. Loaded once, when first
 * needed.
 */
import { ClientConfiguration, parseAnswer } from "../core/api/index.ts";
import type { Bytes } from "../core/encoding/bytes.ts";
import { fromPem } from "../core/pki/pem.ts";
import type { IdPrefixes } from "../core/pki/tag-roots.ts";
import { ConfigurationError } from "./errors.ts";
import { fetchWhole } from "./service/http.ts";
import type { ServiceClock } from "./service/service-clock.ts";
import type { OutcomesConsent } from "./types.ts";

const PATH = "/.well-known/ebt-configuration";

export interface Configuration {
  /** `aud` of attestations. */
  readonly issuer: string;
  /** X-Source-App-Key. */
  readonly clientKey: string;
  /** DER of the pinned roots. */
  readonly clientRoots: readonly Bytes[];
  readonly tagRoots: readonly Bytes[];
  /** The device ids that each tag root may name; without lists, all. */
  readonly tagRootIds?: readonly IdPrefixes[];
  /** Whose outcomes the service counts; absent: of none. */
  readonly outcomes?: "hosts" | "all";
}

/** Whether outcomes are sent: the service counts them, and the host consents. */
export const countsOutcomes = ({ outcomes }: Configuration, consent: OutcomesConsent | undefined): boolean =>
  consent === "operator" ? outcomes === "all" : consent !== undefined && outcomes !== undefined;

export interface ConfigurationSource {
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly clientKey: string | undefined;
  readonly audience: "passenger" | "kiosk";
  readonly clock: ServiceClock;
}

/**
 * Throws {@link ConfigurationError} `configuration_unavailable`, `configuration_invalid`, `no_client_key`,
 * and `no_tag_roots`: without a pinned root no tag can be trusted, so nothing starts.
 */
export async function loadConfiguration(
  source: ConfigurationSource,
  signal: AbortSignal,
): Promise<Configuration> {
  const parsed = parseAnswer(ClientConfiguration, await fetched(source, signal));
  if (!parsed.ok)
    throw new ConfigurationError("configuration_invalid", `wrong fields: ${parsed.fields.join(", ")}`);
  const { issuer, clientKeys, clientRoots, tagRoots, tagRootIds, outcomes } = parsed.value;
  const clientKey = source.clientKey ?? clientKeys[source.audience];
  if (clientKey === undefined) throw new ConfigurationError("no_client_key", `no key for ${source.audience}`);
  const configuration = {
    issuer,
    clientKey,
    clientRoots: roots(clientRoots),
    tagRoots: roots(tagRoots),
    ...(tagRootIds && { tagRootIds }),
    ...(outcomes && { outcomes }),
  };
  if (tagRootIds !== undefined && tagRootIds.length !== configuration.tagRoots.length)
    throw new ConfigurationError("configuration_invalid", "wrong fields: tagRootIds");
  if (configuration.tagRoots.length === 0)
    throw new ConfigurationError("no_tag_roots", "no tag root is pinned");
  return configuration;
}

async function fetched(source: ConfigurationSource, signal: AbortSignal): Promise<unknown> {
  const late = () =>
    new ConfigurationError("configuration_unavailable", "the configuration did not come in time");
  try {
    const { answer, text } = await fetchWhole(source.fetch, { url: source.baseUrl + PATH }, signal, late);
    source.clock.read(answer.headers);
    if (answer.ok) return JSON.parse(text);
    throw new ConfigurationError("configuration_unavailable", `the configuration answered ${answer.status}`);
  } catch (cause) {
    if (signal.aborted || cause instanceof ConfigurationError) throw cause;
    if (cause instanceof SyntaxError)
      throw new ConfigurationError("configuration_invalid", "the configuration is not JSON", { cause });
    throw new ConfigurationError("configuration_unavailable", "the configuration cannot be reached", {
      cause,
    });
  }
}

function roots(texts: readonly string[]): Bytes[] {
  try {
    return texts.flatMap((text) => fromPem(text));
  } catch (cause) {
    throw new ConfigurationError("configuration_invalid", "a root is not PEM", { cause });
  }
}
