import { HEADER } from "../../core/api/index.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { toHex } from "../../core/encoding/bytes.ts";
import { connect } from "../../db/connect.ts";
import { hmacText } from "../config/digest.ts";
import type { Settings } from "../config/env.ts";
import type { HostKeys, RateLimits, RequestContext } from "../context.ts";
import { metered, noTrips, type Trips } from "../database/metering.ts";
import { bookmarked, since } from "../database/replicas.ts";
import type { Assets } from "./assets.ts";
import { endpointAt } from "./endpoint-at.ts";

/** What the service needs of the world; everything else is computed. */
export interface Deps {
  readonly db: D1Database;
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly random: (length: number) => Bytes;
  readonly hostKeys: HostKeys;
  readonly assets: Assets | undefined;
  readonly rateLimits: RateLimits;
  /** Takes one data point per request and scheduled run. */
  readonly metrics: AnalyticsEngineDataset | undefined;
  /** Takes one structured line per request. */
  readonly log: (line: Readonly<Record<string, unknown>>) => void;
}

/** A request's context, what its duration is measured by, and the bookmark of the database it has seen so far. */
interface Begun {
  readonly ctx: RequestContext;
  readonly trips: Trips;
  readonly started: number;
  readonly bookmark: () => string | undefined;
}

/** The context of one request. */
export async function newContext(deps: Deps, request: Request): Promise<Begun> {
  const trips = noTrips();
  const started = performance.now();
  const { settings, random, hostKeys, rateLimits } = deps;
  const mayBeCopy = endpointAt(new URL(request.url).pathname)?.replica === true;
  const { database, latest } = bookmarked(deps.db, since(request.headers.get(HEADER.bookmark), mayBeCopy));
  const address = request.headers.get("CF-Connecting-IP") ?? "";
  const ctx: RequestContext = {
    db: connect(metered(database, trips, () => performance.now())),
    settings,
    now: deps.clock(),
    random,
    requestId: toHex(random(16)),
    answerHeaders: new Headers(),
    network: await hmacText(settings.pepperKey, "network", networkOf(address)),
    hostKeys,
    rateLimits,
    uncounted: new Map(),
  };
  return { ctx, trips, started, bookmark: latest };
}

/** The /24 of an IPv4 address, the /48 of an IPv6 address: one household or office, not one person. */
export function networkOf(address: string): string {
  if (address.includes(".")) return address.split(":").at(-1)?.split(".", 3).join(".") ?? "";
  const [head = "", tail] = address.toLowerCase().split("::", 2);
  const groups = head.split(":").filter((group) => group !== "");
  const rest = tail === undefined ? [] : tail.split(":").filter((group) => group !== "");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  const all = [...groups, ...Array<string>(zeros).fill("0"), ...rest];
  return all
    .slice(0, 3)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
