/** The checks of /conformance in Node: a tag that a {@link GattPeer} reaches, and a real service. */
import "fake-indexeddb/auto";
import { webBluetoothRadio } from "../../../sdk/tag/web-bluetooth-link.ts";
import { fakeBluetooth } from "../../../sim/radio/fake-bluetooth.ts";
import type { GattPeer } from "../../../sim/tag/tag-types.ts";
import { CHECKS } from "../checks.ts";
import { type CheckResult, type RunOptions, runChecks, type TagFacts } from "../runner.ts";
import { createWorkbench } from "../workbench.ts";

export interface Checking {
  /** Which checks; default all. */
  readonly checks?: Parameters<typeof runChecks>[0];
  /** Also those with an effect that outlives the run. Default false. */
  readonly optional?: boolean;
  /** Milliseconds between two tries for the tag's message_1 allowance. Default the page's. */
  readonly pause?: number;
  readonly onResult?: RunOptions["onResult"];
}

export interface Checked {
  readonly tag: TagFacts;
  readonly results: readonly CheckResult[];
}

let runs = 0;

/** Runs the checks against `peer` as a guest of the service at `baseUrl`. Throws as {@link runChecks} does. */
export async function checked(peer: GattPeer, baseUrl: string, options: Checking = {}): Promise<Checked> {
  const { checks = CHECKS, optional = false, pause, onResult = () => undefined } = options;
  const bluetooth = fakeBluetooth([peer], async ([first]) => first);
  const radio = webBluetoothRadio(() => bluetooth);
  const workbench = createWorkbench({ baseUrl, radio, databaseName: `checks-${runs++}` });
  const { signal } = new AbortController();
  const bench = {
    ...(await workbench.bench(await workbench.choose(signal), signal)),
    ...(pause && { pause }),
  };
  let tag: TagFacts | undefined;
  const results = await runChecks(checks, bench, {
    signal,
    optional,
    onTag: (facts) => {
      tag = facts;
    },
    onStart: () => undefined,
    onResult,
  });
  if (tag === undefined) throw new Error("the run never met its tag");
  return { tag, results };
}
