import { existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** Linux keeps this in memory; a container may have it small, or without the right to run programs there. */
const SHARED = "/dev/shm";
/** Bytes that must be free there, and of memory in all: the tests' programs need the rest. */
const ROOM = 2 * 2 ** 30;
const MEMORY_LEFT = 2 * ROOM;

/** Whether `mounts` (the text of /proc/mounts) has `path` as a file system in memory where programs may run. */
function isInMemory(mounts: string, path: string): boolean {
  // What was mounted last hides what was there before.
  const line = mounts.split("\n").findLast((one) => one.split(" ")[1] === path);
  const [, , type, options = ""] = line?.split(" ") ?? [];
  return type === "tmpfs" && !options.split(",").some((option) => option === "noexec" || option === "ro");
}

/**
 * A new folder for what tests write, in memory: half of their time in the kernel is a disk's. Undefined where there is none,
 * or too little room; then theirs is the system's. Gone with this process.
 */
export function memoryFolder(): string | undefined {
  if (!existsSync("/proc/mounts") || !isInMemory(readFileSync("/proc/mounts", "utf8"), SHARED))
    return undefined;
  const { bavail, bsize } = statfsSync(SHARED);
  // Of a container it knows the limit.
  if (bavail * bsize < ROOM || process.availableMemory() < MEMORY_LEFT) return undefined;
  const folder = mkdtempSync(join(SHARED, "taglatch-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  return folder;
}
