import "fake-indexeddb/auto";
import {
  createTaglatch,
  isTaglatchError,
  type Journey,
  type PickedTag,
  type ProgressEvent,
  type Result,
  type Taglatch,
  type TransferResult,
} from "../../sdk/index.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { runCommand } from "../command-line.ts";
import { createWorkbench } from "../conformance/workbench.ts";
import { HciTransport } from "../radio/hci-transport.ts";
import { openRadio } from "../radio/open-radio.ts";
import { hostOver } from "../radio/peripheral.ts";
import { RadioError } from "../radio/radio-error.ts";
import { helpFor, serviceOf } from "../tag/options.ts";
import { Air } from "./air.ts";
import { checkTag } from "./check.ts";
import { type Action, CALL, isPackaged, PHONE, type PhoneOptions, phoneOptions } from "./options.ts";
import { findTag, type RemoteTag } from "./remote-tag.ts";
import { serialLine, VirtualController } from "./virtual-controller.ts";

/** No service answers at this address. */
export class NoService extends Error {
  override readonly name = "NoService";
}

/** What went wrong and what to do next, in words; undefined for a fault of ours. */
export function explainFailure(error: unknown, options: PhoneOptions): string | undefined {
  if (error instanceof NoService)
    return `No service answers at ${error.message}. Run \`npm start\`, or name another: ${CALL} --service URL`;
  if (error instanceof RadioError && (error.code === "no_bluetooth" || error.code === "no_adapter"))
    return `There is no adapter ${options.radio}. Leave out --radio to do without one.`;
  if (!isTaglatchError(error)) return helpFor(error, options.radio ?? "");
  const next = NEXT[error.code]?.(options);
  return `${error.code}: ${error.message.replace(/\.$/, "")}.${next === undefined ? "" : ` ${next}`}`;
}

/** The next step by the code of what failed. */
const NEXT: Readonly<Record<string, (options: PhoneOptions) => string>> = {
  journey_not_found: ({ booking, surname }) =>
    `No booking ${booking} for ${surname}: ${CALL} --booking LOCATOR --surname NAME`,
  custody_proof_required: () =>
    `Clear it with the booking that wrote it: ${CALL} clear --booking LOCATOR --surname NAME`,
  outcome_unknown: () => "Start the tag again, and run the same command: it asks the tag what it shows.",
  out_of_reach: () => "Start the tag again, and run the same command.",
  link_lost: () => "Start the tag again, and run the same command.",
  tag_busy: () => "The tag takes so many sessions a minute. Wait some seconds.",
};

/**
 * `npm run phone`: the SDK as a passenger's phone runs it, over real ATT, for a tag on a table without a phone beside it.
 * Without a radio either: then the tag's host stack opens a serial line, behind which there is a virtual controller.
 */

/** A static random address: its two highest bits are set. */
const ADDRESS = "C0:00:00:00:00:02";
/** Long enough to start a tag in another terminal. */
const FOUND_WITHIN = 600_000;
/** As a phone's and a small controller's. */
const PACKETS = { aclLength: 251, airLength: 251 } as const;

/** The phone's own controller. Where it is no real one, the tag gets another at the end of a line. */
async function transport({ radio, asRoot, service }: PhoneOptions): Promise<HciTransport> {
  if (radio !== undefined) return new HciTransport(await openRadio(radio, asRoot));
  const air = new Air();
  const line = await serialLine(new VirtualController(air, 1, PACKETS));
  process.once("exit", line.close);
  // That terminal need not have this one's PORT.
  const named = service === serviceOf(undefined, {}) ? "" : ` --service ${service}`;
  console.log(
    isPackaged
      ? `Open this line, raw, with your tag's host stack (H4): ${line.name}`
      : `In another terminal: npm run tag -- --radio ${line.name}${named}`,
  );
  return new HciTransport(new VirtualController(air, 2, { ...PACKETS, mtu: 247 }).stream);
}

function orThrow<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw result.error;
}

function report(event: ProgressEvent): void {
  if (event.type === "done") console.log(`  ${event.phase} ${Math.round(event.duration)} ms`);
  if (event.type !== "retrying") return;
  const wait = event.reason === "link_lost" ? "; the tag has some seconds to come back" : "";
  console.log(`  ${event.phase} again: ${event.reason}${wait}`);
}

type Job = Exclude<Action, "check">;
type Act = (client: Taglatch, tag: PickedTag, journey: Journey) => Promise<Result<TransferResult>>;

const DO: Readonly<Record<Job, Act>> = {
  write: async (client, { deviceId, uniqueDeviceId }, { journeyId, baggage: [bag] }) => {
    if (bag === undefined) throw new Error("This booking has no bag.");
    const request = { deviceId, uniqueDeviceId, journeyId, baggageId: bag.baggageId };
    return client.transferTag(request, undefined, { onProgress: report });
  },
  clear: (client, tag) => client.clearTag(tag, { onProgress: report }),
};
const DONE: Readonly<Record<Job, string>> = { write: "written", clear: "cleared" };

async function requireService(service: string): Promise<void> {
  const answer = await fetch(`${service}/healthz`).catch(() => undefined);
  if (answer?.ok !== true) throw new NoService(service);
}

/** Runs the actions in order; false where a check fails. */
async function run(options: PhoneOptions): Promise<boolean> {
  await requireService(options.service);
  const client = createTaglatch({ baseUrl: options.service });
  const jobs = options.actions.filter((action) => action !== "check");
  // Loading the booking entitles to clear what another phone wrote for it.
  const journey =
    jobs.length > 0
      ? orThrow(await client.journeys.fromRecordLocator(options.booking, options.surname))
      : undefined;
  const host = await hostOver(await transport(options), ADDRESS);
  const remote = await findTag(host, { within: FOUND_WITHIN });
  // Where a browser has its Bluetooth, the SDK finds this one.
  Object.defineProperty(navigator, "bluetooth", { value: fakeBluetooth([remote], async ([first]) => first) });
  if (journey !== undefined) await runJobs(client, remote, { jobs, journey });
  if (!options.actions.includes("check")) return true;
  // This host stack loses no write without response; the SDK knows that of Android's alone.
  Object.defineProperty(navigator, "userAgent", { value: "Android" });
  const workbench = createWorkbench({ baseUrl: options.service });
  const requested = () => remote.requests.at(-1);
  return checkTag({ ...options.checks, workbench, requested, print: (line) => console.log(line) });
}

interface Jobs {
  readonly jobs: readonly Job[];
  readonly journey: Journey;
}

async function runJobs(client: Taglatch, remote: RemoteTag, { jobs, journey }: Jobs): Promise<void> {
  const tag = orThrow(await client.pickTag());
  console.log(`${tag.name}  ${tag.uniqueDeviceId}  GATT v${tag.generation}  MTU ${remote.mtu}`);
  for (const action of jobs) {
    const { elapsed, confirmedByTag, pendingRetry } = orThrow(await DO[action](client, tag, journey));
    const signed = confirmedByTag ? ", and the tag has signed it" : "";
    const open = pendingRetry
      ? "; the report did not reach the service, and this phone keeps nothing: do it again once the service answers"
      : "";
    console.log(`${DONE[action]} in ${Math.round(elapsed)} ms${signed}${open}`);
  }
  await client.disconnect(tag.deviceId);
}

await runCommand(PHONE, async (given) => {
  const options = phoneOptions(given, process.env);
  try {
    process.exit((await run(options)) ? 0 : 1);
  } catch (error) {
    console.error(explainFailure(error, options) ?? error);
    process.exit(1);
  }
});
