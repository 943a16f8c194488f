import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Bytes, fromBase64, fromBase64Url } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import { EKU_CLIENT, EKU_TAG } from "../../core/pki/profiles.ts";
import attester from "../../db/demo/attester.jwk.json" with { type: "json" };
import hostAirline from "../../db/demo/host-airline.jwk.json" with { type: "json" };
import tagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import tags from "../../db/demo/tags.json" with { type: "json" };
import {
  type DevelopmentSecrets,
  developmentSecrets,
  devVars,
  generateKeys,
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

const ES256 = { name: "ECDSA", namedCurve: "P-256" };
const NOW = new Date("2026-06-01T00:00:00Z");
const counting = (length: number): Bytes => new Uint8Array(length).fill(7);

const importPrivate = (jwk: JsonWebKey) => crypto.subtle.importKey("jwk", jwk, ES256, false, ["sign"]);

/** Whether the private `jwk` signs what `publicKey` verifies. */
async function belongs(jwk: JsonWebKey, publicKey: CryptoKey): Promise<boolean> {
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, await importPrivate(jwk), counting(8));
  return crypto.subtle.verify(algorithm, publicKey, signature, counting(8));
}

describe("development secrets", () => {
  let secrets: DevelopmentSecrets;
  beforeAll(async () => {
    secrets = await developmentSecrets(counting, NOW);
  });

  it("hold a CA whose client leaves verify to the root", async () => {
    const intermediate = fromBase64(secrets.CA_INTERMEDIATE_CERT);
    const issuer = {
      certificate: intermediate,
      privateKey: await importPrivate(JSON.parse(secrets.CA_INTERMEDIATE_KEY) as JsonWebKey),
    };
    const { publicKey } = await generateKeys();
    const leaf = await issueClientLeaf({
      issuer,
      commonName: "p",
      publicKey,
      serial: counting(16),
      now: NOW,
    });
    const anchors = [fromBase64(secrets.CA_ROOT_CERT)];
    await expect(
      verifyChain({ chain: [leaf, intermediate], anchors, eku: EKU_CLIENT, at: NOW }),
    ).resolves.toBeDefined();
  });

  it("have separate keys for access and transaction tokens, each with a kid", () => {
    const [access, transaction] = [secrets.ACCESS_TOKEN_KEYS, secrets.TRANSACTION_TOKEN_KEYS].map((text) => {
      return (JSON.parse(text) as { keys: PrivateJwk[] }).keys[0];
    });
    expect(access).toMatchObject({
      kty: "EC",
      crv: "P-256",
      alg: "ES256",
      kid: expect.stringMatching(/^[\w-]{8}$/),
    });
    expect(transaction?.kid).not.toBe(access?.kid);
    expect(transaction?.d).not.toBe(access?.d);
  });

  it("take what is not a key from the source of randomness given", () => {
    for (const name of ["REFRESH_KEY", "DATA_KEY", "PEPPER"] as const) {
      expect(fromBase64Url(secrets[name])).toEqual(counting(32));
    }
  });

  it("read back from the text of .dev.vars as they were", () => {
    expect({ ...parseEnv(devVars(secrets)) }).toEqual(secrets);
  });
});

describe(".dev.vars", () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "taglatch-vars-"));
    path = join(folder, ".dev.vars");
  });
  afterEach(() => rmSync(folder, { recursive: true }));

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

  it("that cannot be written is an error", async () => {
    await expect(writeDevVars(join(folder, "missing", ".dev.vars"))).rejects.toMatchObject({
      code: "ENOENT",
    });
  });
});

describe("the demo's tags", () => {
  it("are the six of the demo world", () => {
    expect(tags.map(({ id, generation }) => `${id} ${generation}`)).toEqual([
      "ebt-21-0001 2.1",
      "ebt-21-0002 2.1",
      "ebt-21-0003 2.1",
      "ebt-21-0004 2.1",
      "ebt-20-0005 2.0",
      "ebt-20-0006 2.0",
    ]);
  });

  it.each(tags)("$id has a credential of its own exactly when it speaks 2.1", async (tag) => {
    if (tag.generation === "2.0") {
      expect(tag).toMatchObject({ privateJwk: null, certificateChain: null });
      return;
    }
    const chain = (tag.certificateChain ?? []).map(fromBase64);
    const anchors = [fromBase64(tagCa.certificate)];
    const leaf = await verifyChain({ chain, anchors, eku: EKU_TAG, at: NOW });
    expect(chain).toHaveLength(1);
    expect(leaf.subjectSerialNumber).toBe(tag.id);
    expect(await belongs(tag.privateJwk as JsonWebKey, leaf.publicKey)).toBe(true);
  });
});

it.each([
  ["host-airline-1", hostAirline],
  ["attester-1", attester],
])("the demo's signing key %s is an ES256 key pair", async (kid, jwk) => {
  const { d: _, ...half } = jwk;
  const publicKey = await crypto.subtle.importKey("jwk", half, ES256, true, ["verify"]);
  expect(jwk).toMatchObject({ kid, alg: "ES256" });
  expect(await belongs(jwk, publicKey)).toBe(true);
});
