import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import {
  type DevelopmentSecrets,
  developmentSecrets,
  devVars,
  keyId,
  type PrivateJwk,
  writeDevVars,
} from "./keys.ts";

describe("keyId", () => {
  it.each([
    ["NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "NzbLsXh8"],
    ["-zbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "zbLsXh8u"],
    ["--_-LsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs", "_-LsXh8u"],
  ])("of %s can be an option's value: %s", (thumbprint, kid) => expect(keyId(thumbprint)).toBe(kid));
});

describe("development secrets", () => {
  let secrets: DevelopmentSecrets;
  beforeAll(async () => {
    secrets = await developmentSecrets();
  });

  it("have separate keys for access and transaction tokens, each with a kid", () => {
    const [access, transaction] = [secrets.ACCESS_TOKEN_KEYS, secrets.TRANSACTION_TOKEN_KEYS].map((text) => {
      return (JSON.parse(text) as { keys: PrivateJwk[] }).keys[0];
    });
    const kid = expect.stringMatching(/^[\w-]{8}$/);
    expect(access).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", kid });
    expect(transaction?.kid).not.toBe(access?.kid);
    expect(transaction?.d).not.toBe(access?.d);
  });

  it("read back from the text of .dev.vars as they were", () => {
    expect({ ...parseEnv(devVars(secrets)) }).toEqual(secrets);
  });
});

describe(".dev.vars", () => {
  const folder = temporaryFolder();
  const path = join(folder, ".dev.vars");
  beforeEach(() => rmSync(path, { force: true }));

  it("is written once, for its owner only, and then kept", async () => {
    expect(await writeDevVars(path)).toBe("written");
    const first = readFileSync(path, "utf8");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await writeDevVars(path)).toBe("kept");
    expect(readFileSync(path, "utf8")).toBe(first);
  });

  it("of an earlier version is completed, and what it held stays", async () => {
    await writeDevVars(path);
    const first = readFileSync(path, "utf8");
    writeFileSync(path, first.replace(/^AUDIT_SEAL_KEYS=.*\n/m, ""));
    expect(await writeDevVars(path)).toBe("completed");
    const { AUDIT_SEAL_KEYS, ...others } = parseEnv(readFileSync(path, "utf8"));
    const { AUDIT_SEAL_KEYS: earlier, ...before } = parseEnv(first);
    expect(others).toEqual(before);
    expect(AUDIT_SEAL_KEYS).toMatch(/^\{"keys":/);
    expect(AUDIT_SEAL_KEYS).not.toBe(earlier);
  });
});
