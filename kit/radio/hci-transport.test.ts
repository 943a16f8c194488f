import { Duplex, PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { seeded } from "../../sim/seeded.ts";
import { commandComplete, completedPackets, disconnectionComplete } from "../phone/hci-packets.ts";
import { openFixtures } from "../test-support/att-fixture.ts";
import { HciTransport, OutOfStep, PacketCutter } from "./hci-transport.ts";

const fixture = openFixtures();
const data = (handle: number, length: number) =>
  Buffer.concat([Buffer.of(2, handle, 0, length & 0xff, length >> 8), Buffer.alloc(length, 7)]);

describe("packets in a byte stream", () => {
  const packets = [commandComplete(0x0c03, 0), data(1, 300), completedPackets(1, 1), data(2, 0)];

  test("come out whole, however the bytes come in", () => {
    const stream = Buffer.concat(packets);
    const next = seeded(7);
    for (let run = 0; run < 50; run++) {
      const cutter = new PacketCutter();
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; ) {
        const length = 1 + Math.floor(next() * 40);
        found.push(...cutter.push(stream.subarray(at, at + length)));
        at += length;
      }
      expect(found).toEqual(packets);
    }
  });

  test("end where a byte begins none", () => {
    expect(() => new PacketCutter().push(Buffer.of(0x77))).toThrow(OutOfStep);
  });
});

/** A transport whose controller says what the test says. */
function transport() {
  const toHost = new PassThrough();
  const stream = Duplex.from({ readable: toHost, writable: new PassThrough() });
  return { transport: new HciTransport(stream), say: (packet: Buffer) => toHost.write(packet) };
}

describe("data that the controller still holds", () => {
  test.each([
    ["sent", () => [completedPackets(5, 1), completedPackets(5, 1)]],
    ["dropped with the link", () => [disconnectionComplete(5, 0x08)]],
  ])("is waited for until it is %s", async (_how, events) => {
    const { transport: host, say } = transport();
    host.write(data(5, 3));
    host.write(data(5, 3));
    let drained = false;
    const waiting = host.drained(600_000).then(() => {
      drained = true;
    });
    for (const packet of events()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(drained).toBe(false);
      say(packet);
    }
    await waiting;
  });

  test("is not waited for longer than allowed", async () => {
    const { transport: host } = transport();
    host.write(data(5, 3));
    await host.drained(10);
  });
});

describe("a radio that goes", () => {
  test("with a hardware error says so, and takes the tag's central away", async () => {
    const { peripheral, controllers, remote, tag } = await fixture();
    await remote.connect();
    expect(tag.snapshot().connected).toBe(true);
    controllers.tag.fail();
    expect(await peripheral.closed).toMatchObject({ name: "RadioError", code: "controller_failed" });
    expect(tag.snapshot().connected).toBe(false);
  });

  test("with the line says that it is lost", async () => {
    const { peripheral, controllers } = await fixture();
    controllers.tag.stream.destroy();
    expect(await peripheral.closed).toMatchObject({ name: "RadioError", code: "lost" });
  });

  test("with nonsense on the line says that the controller failed", async () => {
    const { peripheral, controllers } = await fixture();
    controllers.tag.stream.push(Buffer.from("nonsense"));
    expect(await peripheral.closed).toMatchObject({ name: "RadioError", code: "controller_failed" });
  });
});
