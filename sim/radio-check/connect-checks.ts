/** Checks of the chooser, of connecting and of discovery. */
import { type Bytes, fromUtf8 } from "../../core/encoding/bytes.ts";
import { PROFILE } from "../../core/gatt/profile.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import { type Bench, type Check, must, mustBe, neverAborted, outcomeOf, pause } from "./bench.ts";
import type { RadioTestTag } from "./radio-test-tag.ts";

/** The budget for all attempts is 12 s. */
const CONNECT_LIMIT = 15_000;
/** Cancelled operations end within 200 ms; a slow machine gets twice that. */
const AT_ONCE = 400;

const aborted = () => AbortSignal.abort();

/** Aborts `begin` 100 ms after it began. */
async function cancelledSoon(begin: (signal: AbortSignal) => Promise<unknown>) {
  const controller = new AbortController();
  const outcome = outcomeOf(begin(controller.signal));
  await pause(100);
  controller.abort();
  const { code, after } = await outcome;
  mustBe(code, ["cancelled"], "a connect cancelled after 100 ms");
  must(after < 100 + AT_ONCE, `cancelled, it ended only after ${Math.round(after)} ms`);
}

export const connectChecks: readonly Check[] = [
  {
    name: "choose gives a link with a device id and the tag's name",
    real: true,
    async run(bench) {
      const { deviceId, name } = await bench.link();
      must(deviceId !== "", "its deviceId is empty");
      must(name.startsWith("EBT-"), `its name is ${JSON.stringify(name)}`);
    },
  },
  {
    name: "choose with a signal that has fired is cancelled",
    real: true,
    async run({ radio }) {
      mustBe((await outcomeOf(radio.choose(undefined, aborted()))).code, ["cancelled"], "choose");
    },
  },
  {
    name: "find gives the chosen device, and nothing for an id that was never chosen",
    real: true,
    async run(bench) {
      const { deviceId } = await bench.link();
      must((await bench.radio.find(deviceId))?.deviceId === deviceId, "the chosen device is not found");
      must((await bench.radio.find("no such device")) === undefined, "an unknown id finds a device");
    },
  },
  {
    name: "remembered resolves to a list",
    real: true,
    run: async ({ radio }) => must(Array.isArray(await radio.remembered()), "it is no list"),
  },
  {
    name: "connect gives an open connection, and its time",
    real: true,
    async run(bench) {
      const began = performance.now();
      const connection = await bench.connect();
      must(connection.open, "it is not open");
      const { openedAt } = connection;
      must(openedAt >= began && openedAt <= performance.now(), "openedAt is no time of performance.now()");
    },
  },
  {
    name: "discovery finds every characteristic of the tag service, with its properties",
    real: true,
    run: async (bench) => checkDiscovery(await bench.connect()),
  },
  {
    name: "a device found by its id connects, and is the same tag",
    real: true,
    async run(bench) {
      const found = await bench.radio.find((await bench.link()).deviceId);
      must(found !== undefined, "it is not found");
      const connection = await found.connect(neverAborted(), () => undefined);
      const id = await connection.read(PROFILE.characteristics.ID.uuid, neverAborted());
      connection.close();
      mustBe(tagName(textOf(id)), [(await bench.link()).name || tagName(textOf(id))], "its name by ID");
    },
  },
  {
    name: "an attempt that fails is repeated without a second chooser, and reported",
    async run(bench) {
      await bench.link();
      bench.tag.refuseConnects = 1;
      must((await bench.connect()).open, "the connection is not open");
      must(bench.retries > 0, "onRetry was not called");
    },
  },
  {
    name: "a tag that never answers is out of reach within 15 s",
    run: (bench) => checkOutOfReach(bench, { connectDelay: Number.POSITIVE_INFINITY }),
  },
  {
    name: "a tag that refuses each attempt is out of reach within 15 s",
    run: (bench) => checkOutOfReach(bench, { refuseConnects: Number.POSITIVE_INFINITY }),
  },
  {
    name: "a link that falls as it is made gives no open connection",
    async run(bench) {
      await bench.link();
      bench.tag.fallAtConnect = 1;
      const made = await bench.connect().catch(() => undefined);
      await pause(200);
      must(made === undefined || made.open === bench.tag.connected, "it says open, and the link has fallen");
    },
  },
  {
    name: "a connect whose signal has fired is cancelled, and leaves no link",
    real: true,
    async run(bench) {
      mustBe((await outcomeOf(bench.connect(aborted()))).code, ["cancelled"], "connect");
      must((await bench.connect()).open, "the next connect fails");
    },
  },
  {
    name: "a connect is cancelled at once, and leaves no link",
    async run(bench) {
      await bench.link();
      bench.tag.connectDelay = 1_000;
      await cancelledSoon((signal) => bench.connect(signal));
      await pause(1_500);
      must(!bench.tag.connected, "the tag is connected afterwards");
    },
  },
  {
    name: "a pause between attempts is cancelled at once",
    async run(bench) {
      await bench.link();
      bench.tag.refuseConnects = Number.POSITIVE_INFINITY;
      await cancelledSoon((signal) => bench.connect(signal));
    },
  },
];

type ConnectFault = Partial<Pick<RadioTestTag, "connectDelay" | "refuseConnects">>;

async function checkOutOfReach(bench: Bench, fault: ConnectFault): Promise<void> {
  await bench.link();
  Object.assign(bench.tag, fault);
  const { code, after } = await outcomeOf(bench.connect());
  mustBe(code, ["out_of_reach"], "connect");
  must(after < CONNECT_LIMIT, `it ended only after ${Math.round(after)} ms`);
}

function checkDiscovery(connection: Awaited<ReturnType<Bench["connect"]>>): void {
  for (const [name, { uuid, ...row }] of Object.entries(PROFILE.characteristics)) {
    const found = connection.properties(uuid);
    must(connection.has(uuid) === (found !== undefined), `has and properties differ for ${name}`);
    // A v2.0 tag has none.
    if (name === "SEC" && found === undefined) continue;
    must(found !== undefined, `${name} is missing`);
    for (const property of ["read", "write", "notify"] as const)
      mustBe(found[property], [row[property]], `${property} of ${name}`);
  }
  const unknown = PROFILE.battery.service;
  must(!connection.has(unknown) && connection.properties(unknown) === undefined, "it has what no tag has");
}

const textOf = (value: Bytes): string => fromUtf8(value);
