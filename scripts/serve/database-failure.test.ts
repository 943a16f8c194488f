import { expect, test } from "vitest";
import { databaseFailureOf } from "./database-failure.ts";

const failure = (message: string) => Object.assign(new Error("write"), { cause: new Error(message) });

test.each([
  ["ENOSPC: no space left on device, mkdir '/state'", "disk_full"],
  ["EDQUOT: disk quota exceeded, open '/state/port'", "disk_full"],
  ["database or disk is full", "disk_full"],
  ["disk image is malformed", "database_damaged"],
  ["disk I/O error", "disk_failed"],
])("an error's cause counts: %s is %s", (message, code) => {
  expect(databaseFailureOf(failure(message))?.code).toBe(code);
});

test.each([
  [["failed: database or disk is full: SQLITE_FULL"], "disk_full"],
  [["disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_SHMSIZE)"], "disk_full"],
  [["disk I/O error: SQLITE_IOERR (extended: SQLITE_IOERR_READ)"], "disk_failed"],
  [["file is not a database: SQLITE_NOTADB"], "database_damaged"],
  [["unable to open: SQLITE_CANTOPEN", "database or disk is full: SQLITE_FULL"], "disk_full"],
])("the runtime's lines count: %j is %s", (lines, code) => {
  expect(databaseFailureOf(new Error("internal error; reference = x"), lines)?.code).toBe(code);
});

test("other errors are none", () => {
  expect(databaseFailureOf(new Error("internal error; reference = x"), ["a line"])).toBeUndefined();
  expect(databaseFailureOf("no error")).toBeUndefined();
});
