/** Checks of reads and writes on a link that stands. */
import { type Bytes, equalBytes } from "../../core/encoding/bytes.ts";
import { MAX_FRAME, PROFILE } from "../../core/gatt/profile.ts";
import { AttError, type AttErrorCode } from "../tag/tag-types.ts";
import { type Bench, type Check, must, mustBe, neverAborted, outcomeOf } from "./bench.ts";
import type { ArrivedOperation } from "./radio-test-tag.ts";

const { INFO, ID, SEC, DATA, CERT } = PROFILE.characteristics;
const { LEVEL } = PROFILE.battery.characteristics;
const { FIRMWARE } = PROFILE.deviceInformation.characteristics;

/** On both sides of an MTU of 23, of 247 and of the longest. */
const LENGTHS = [1, 20, 21, 244, 245, MAX_FRAME];

const bytesOf = (length: number): Bytes =>
  Uint8Array.from({ length }, (_, index) => (index * 7 + length) % 256);

/** A view on the middle of a longer buffer, which a radio that passes on the buffer alone would write whole. */
const viewOf = (value: Bytes): Bytes => {
  const around = new Uint8Array(value.length + 2);
  around.set(value, 1);
  return around.subarray(1, -1);
};

export const operationChecks: readonly Check[] = [
  {
    name: "INFO and ID are read, the same each time",
    real: true,
    async run(bench) {
      const connection = await bench.connect();
      const read = (uuid: string) => connection.read(uuid, neverAborted());
      must((await read(INFO.uuid)).length >= 11, "INFO has less than 11 bytes");
      const [first, second] = [await read(ID.uuid), await read(ID.uuid)];
      must(first.length > 0 && equalBytes(first, second), "ID is empty or changes");
      must(first !== second, "both reads give one buffer");
    },
  },
  {
    name: "Battery and Device Information are read",
    real: true,
    async run(bench) {
      const connection = await bench.connect();
      must((await connection.read(LEVEL.uuid, neverAborted())).length === 1, "the level is not one byte");
      must(
        (await connection.read(FIRMWARE.uuid, neverAborted())).length > 0,
        "the firmware revision is empty",
      );
    },
  },
  {
    name: "values arrive whole, the longest too, and none as none",
    async run(bench) {
      const connection = await bench.connect();
      for (const length of [0, ...LENGTHS]) {
        bench.tag.values.set(SEC.uuid, bytesOf(length));
        const value = await connection.read(SEC.uuid, neverAborted());
        must(equalBytes(value, bytesOf(length)), `${value.length} of ${length} bytes, or other ones`);
      }
    },
  },
  {
    name: "writes arrive whole and as one, with response",
    async run(bench) {
      const connection = await bench.connect();
      for (const length of LENGTHS)
        await connection.write(CERT.uuid, viewOf(bytesOf(length)), neverAborted());
      const written = bench.tag.arrived.filter(({ uuid }) => uuid === CERT.uuid);
      mustBe(written.length, [LENGTHS.length], "number of writes");
      must(
        written.every(({ kind }) => kind === "write"),
        "one came without response",
      );
      const isWhole = ({ value }: ArrivedOperation, i: number) => equalBytes(value, bytesOf(LENGTHS[i] ?? 0));
      must(written.every(isWhole), "a value came changed");
    },
  },
  {
    name: "a write resolves only when the tag has confirmed it",
    async run(bench) {
      const connection = await bench.connect();
      bench.tag.reaction = () => new Promise((resolve) => void setTimeout(resolve, 500));
      const { code, after } = await outcomeOf(connection.write(CERT.uuid, bytesOf(9), neverAborted()));
      mustBe(code, ["done"], "the write");
      must(after > 450, `it resolved after ${Math.round(after)} ms, the tag confirmed after 500 ms`);
    },
  },
  {
    name: "a read that the tag holds for 5 s is answered",
    async run(bench) {
      const connection = await bench.connect();
      bench.tag.reaction = () => new Promise((resolve) => void setTimeout(resolve, 5_000));
      mustBe((await outcomeOf(connection.read(SEC.uuid, neverAborted()))).code, ["done"], "the read");
    },
  },
  {
    name: "two at once: operations run one after the other, in the order of the calls",
    run: checkOrder,
  },
  {
    name: "writes without response only where they are safe, and in order",
    run: checkCommands,
  },
  ...(["UNLIKELY_ERROR", "IN_PROGRESS"] as const).map((error) => ({
    name: `a refusal (${error}) is a code of its own, and leaves the link open`,
    run: (bench: Bench) => checkRefusal(bench, error),
  })),
  {
    name: "a characteristic that the tag lacks is refused, and leaves the link open",
    real: true,
    async run(bench) {
      const connection = await bench.connect();
      const { code } = await outcomeOf(
        connection.read(INFO.uuid.replace("a9ffda4a", "a9ffdaff"), neverAborted()),
      );
      mustBe(code, ["not_a_tag", "operation_refused"], "the read");
      must(connection.open, "the connection is closed");
    },
  },
];

async function checkOrder(bench: Bench): Promise<void> {
  const connection = await bench.connect();
  bench.tag.arrived = [];
  bench.tag.mostInFlight = 0;
  const lengths = [1, 2, 3, 4, 5];
  await Promise.all(
    lengths.flatMap((length) => [
      connection.write(CERT.uuid, bytesOf(length), neverAborted()),
      connection.read(INFO.uuid, neverAborted()),
    ]),
  );
  mustBe(bench.tag.mostInFlight, [1], "operations in flight at once");
  const seen = bench.tag.arrived.map(({ kind, value }) => `${kind} ${value.length}`).join();
  const expected = lengths.map((length) => `write ${length},read 0`).join();
  must(seen === expected, `the tag saw ${seen}`);
}

async function checkCommands(bench: Bench): Promise<void> {
  const connection = await bench.connect();
  const spares = connection.sparesResponses?.(DATA.uuid) ?? false;
  must(!connection.sparesResponses?.(CERT.uuid), "CERT takes no writes without response");
  bench.tag.arrived = [];
  const writes = [1, 2, 3, 4].map((length) =>
    connection.write(DATA.uuid, bytesOf(length), neverAborted(), length < 4),
  );
  await Promise.all([...writes, connection.write(CERT.uuid, bytesOf(5), neverAborted(), true)]);
  const kinds = bench.tag.arrived.map(({ kind, value }) => `${kind} ${value.length}`).join();
  const early = spares ? "command" : "write";
  const expected = `${early} 1,${early} 2,${early} 3,write 4,write 5`;
  must(kinds === expected, `the tag saw ${kinds} instead of ${expected}`);
}

async function checkRefusal(bench: Bench, error: AttErrorCode): Promise<void> {
  const connection = await bench.connect();
  const begin = {
    read: () => connection.read(SEC.uuid, neverAborted()),
    write: () => connection.write(CERT.uuid, bytesOf(3), neverAborted()),
  };
  for (const [name, start] of Object.entries(begin)) {
    bench.tag.reaction = () => Promise.reject(new AttError(error));
    mustBe((await outcomeOf(start())).code, ["operation_refused", "link_busy"], `the ${name}`);
    must(connection.open, `the connection is closed after the ${name}`);
    bench.tag.reaction = undefined;
    mustBe((await outcomeOf(start())).code, ["done"], `the next ${name}`);
  }
}
