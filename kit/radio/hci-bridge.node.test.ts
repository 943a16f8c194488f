import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { seeded } from "../../sim/seeded.ts";
import { commandComplete, completedPackets } from "../phone/hci-packets.ts";
import { PACKET } from "./hci-transport.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** The bridge's own cutter, fed with pieces; gives the packets it would hand to the kernel, in hex. */
const PROGRAM = `
import json, sys
sys.path.insert(0, ${JSON.stringify(FOLDER)})
sys.dont_write_bytecode = True
from hci_bridge import packets
pending, found = b"", []
for piece in json.load(sys.stdin):
    whole, pending = packets(pending + bytes.fromhex(piece))
    found += [packet.hex() for packet in whole]
print(json.dumps(found))
`;

test("the kernel gets whole packets, one at a time, however the pipe cuts them", () => {
  const next = seeded(11);
  const acl = (length: number) =>
    Buffer.concat([Buffer.of(PACKET.ACL, 0x40, 0, length & 0xff, length >> 8), Buffer.alloc(length, 0x02)]);
  const packets = [
    Buffer.of(1, 3, 12, 0),
    acl(300),
    commandComplete(0x0c03, 0),
    acl(0),
    completedPackets(1, 1),
  ];
  const stream = Buffer.concat(Array.from({ length: 20 }, () => packets).flat());
  const pieces: string[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = at + 1 + Math.floor(next() * 50);
    pieces.push(stream.subarray(at, end).toString("hex"));
    at = end;
  }
  const { stdout, stderr } = spawnSync("python3", ["-c", PROGRAM], { input: JSON.stringify(pieces) });
  expect(stderr.toString()).toBe("");
  const whole = packets.map((packet) => packet.toString("hex"));
  expect(JSON.parse(stdout.toString())).toEqual(Array.from({ length: 20 }, () => whole).flat());
});
