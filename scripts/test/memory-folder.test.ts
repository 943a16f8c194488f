import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isInMemory, memoryFolder } from "./memory-folder.ts";

const mounts = (...options: readonly string[]) =>
  ["proc /proc proc rw 0 0", ...options.map((one) => `shm /dev/shm ${one} 0 0`), ""].join("\n");

it("takes a file system in memory, where programs may run", () => {
  expect(isInMemory(mounts("tmpfs rw,nosuid,nodev,relatime"), "/dev/shm")).toBe(true);
});

it.each([
  ["where no program may run, as in containers", ["tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k"]],
  ["that is not to be written", ["tmpfs ro,nosuid"]],
  ["on a disk", ["ext4 rw,relatime"]],
  ["that another one hides", ["tmpfs rw", "tmpfs rw,noexec"]],
  ["that is not there", []],
])("takes none %s", (_, options) => {
  expect(isInMemory(mounts(...options), "/dev/shm")).toBe(false);
});

it("makes no folder where nothing is mounted, nor where there is too little room", () => {
  expect(memoryFolder(join(tmpdir(), "no-such-folder"))).toBeUndefined();
  expect(memoryFolder("/dev/shm", Number.POSITIVE_INFINITY)).toBeUndefined();
});
