import "fake-indexeddb/auto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dailyOrFull } from "../../core/full.test-support.ts";
import { newTag } from "../../scripts/drivers/tag-factory.ts";
import { type Server, startServer } from "../../scripts/serve/server.ts";
import { webBluetoothRadio } from "../../sdk/tag/web-bluetooth-link.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { restedWhenSpent } from "../../sim/test-support/virtual-time.ts";
import { Air } from "../phone/air.ts";
import { findTag, type RemoteTag } from "../phone/remote-tag.ts";
import { serialLine, VirtualController } from "../phone/virtual-controller.ts";
import { HciTransport } from "../radio/hci-transport.ts";
import { hostOver } from "../radio/peripheral.ts";
import { ADDRESS, onAir } from "../test-support/att-fixture.ts";
import { start } from "../test-support/running.ts";
import { countsOf } from "./check-row.ts";
import {
  GOOD_TAG,
  HASH_CHECK,
  hastyWorld,
  INTERVAL_CHECK,
  idsOf,
  LOCKOUT_CHECK,
  report,
  run,
} from "./test-support/fixture.ts";
import { createWorkbench } from "./workbench.ts";

/** The checks of /conformance in Node: a tag over ATT, and a real service. */

let runs = 0;

/** Runs the checks against `peer` as a guest of the service; `pause` between two tries for message_1, default the page's. */
async function checked(peer: RemoteTag, pause?: number) {
  const bluetooth = fakeBluetooth([peer], async ([first]) => first);
  const radio = webBluetoothRadio(() => bluetooth);
  const workbench = createWorkbench({ baseUrl: service.url, radio, databaseName: `checks-${runs++}` });
  const { signal } = new AbortController();
  const bench = await workbench.bench(await workbench.choose(signal), signal);
  const requested = () => peer.requests.at(-1);
  return run({ ...bench, ...(pause && { pause }), requested }, { optional: false });
}

let service: Server;
const stateDir = mkdtempSync(join(tmpdir(), "taglatch-checks-"));
beforeAll(async () => {
  // Where the SDK writes without response.
  vi.stubGlobal("navigator", { userAgent: "Mozilla/5.0 (Linux; Android 15)" });
  service = await startServer({ port: 0, stateDir });
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await service.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

test.each(dailyOrFull(["2.1"] as const, ["2.1", "2.0"] as const))(
  "a v%s tag over real ATT passes every check that applies, with the certificate and the tokens of the real service",
  async (generation) => {
    const world = hastyWorld();
    const tag = restedWhenSpent(await newTag(service.url, generation, { displayMs: 10 }, world), world);
    const { remote, controllers, close } = await onAir(tag);
    try {
      const results = await checked(remote, 100);
      expect(idsOf(results, "fail"), report(results)).toEqual([]);
      const skipped = GOOD_TAG[generation].skipped.filter((id) => id !== INTERVAL_CHECK);
      const unseen = [...skipped, HASH_CHECK, LOCKOUT_CHECK].toSorted();
      expect(idsOf(results, "skip"), report(results)).toEqual(unseen);
      // The host stack has no Database Hash, and says which interval the tag asks for.
      const { passed } = GOOD_TAG[generation];
      expect(countsOf(results)).toEqual({ applies: passed, pass: passed, fail: 0, skip: 0 });
      expect(tag.snapshot().display).toMatchObject({ state: "BLANK", content: null });
      expect([controllers.tag.overruns, controllers.central.overruns]).toEqual([0, 0]);
    } finally {
      close();
    }
  },
);

/** By the clock, with an e-paper's time and the allowance of a real tag: minutes. */
const COMMAND = dailyOrFull([], ["2.1", "2.0"] as const);

test.each(COMMAND)(
  "`npm run tag` of v%s passes every check in a process of its own, on a serial line",
  async (generation) => {
    const endings: (() => void)[] = [];
    const air = new Air();
    try {
      const line = await serialLine(new VirtualController(air, 1, { aclLength: 251, airLength: 251 }));
      const state = join(stateDir, `tag-${generation}`);
      const options = ["--radio", line.name, "--state", state, "--service", service.url];
      const transport = new HciTransport(new VirtualController(air, 2, { mtu: 247 }).stream);
      endings.push(line.close, () => transport.close());
      await start([...options, "--generation", generation], (end) => endings.push(end));
      const remote = await findTag(await hostOver(transport, ADDRESS.central));
      const results = await checked(remote);
      const { passed } = GOOD_TAG[generation];
      expect(countsOf(results), report(results)).toEqual({ applies: passed, pass: passed, fail: 0, skip: 0 });
    } finally {
      for (const end of endings.reverse()) end();
    }
  },
);
