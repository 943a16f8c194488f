import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { fromBase64, fromBase64Url } from "../../core/encoding/bytes.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import tagCa from "../../db/demo/tag-ca.json" with { type: "json" };
import demoTags from "../../db/demo/tags.json" with { type: "json" };
import * as schema from "../../db/schema.ts";
import { UsageError } from "../../kit/command-line.ts";
import { importSignKey } from "../../worker/config/keys.ts";
import { keyHashOf } from "../../worker/devices/identity.ts";
import { b2bSecretHash, staffSubject, verifyPassword } from "../../worker/secrets/credentials.ts";
import { clientKeyHash } from "../../worker/secrets/sealed.ts";
import { generateKeys, type PrivateJwk } from "../serve/keys.ts";
import { secretsIn } from "./doctor.ts";
import { operatorHere } from "./test-support/operator.ts";

/** The operator's commands against this machine's database, with the secrets they made themselves. */

const operator = operatorHere();
const { file, ops } = operator;
const secretFile = file("secrets.json");

const withSecrets = (...words: string[]) => ops(...words, "--secrets", secretFile);
const secrets = () => JSON.parse(readFileSync(secretFile, "utf8")) as Record<string, string>;
const pepper = () => fromBase64Url(secrets().PEPPER ?? "");
const shownAs = (lines: readonly string[], label: string) =>
  lines.find((line) => line.startsWith(`${label}: `))?.slice(label.length + 2) ?? "";

beforeAll(async () => {
  await ops("ca", "root", "--dir", file("ca"), "--name", "Example Air Root");
  await ops("ca", "intermediate", "--dir", file("ca"), "--name", "Example Air Tag Service");
  await ops("secrets", "--out", secretFile, "--ca", file("ca"));
});

describe("keys and certificates", () => {
  it("make a chain that a client certificate verifies by", async () => {
    const { CA_ROOT_CERT = "", CA_INTERMEDIATE_CERT = "", CA_INTERMEDIATE_KEY = "" } = secrets();
    const privateKey = await importSignKey(JSON.parse(CA_INTERMEDIATE_KEY) as PrivateJwk);
    const intermediate = fromBase64(CA_INTERMEDIATE_CERT);
    const leaf = await issueClientLeaf({
      issuer: { certificate: intermediate, privateKey },
      commonName: "p",
      publicKey: (await generateKeys()).publicKey,
      serial: new Uint8Array(16).fill(7),
      now: new Date(),
    });
    const anchors = [fromBase64(CA_ROOT_CERT)];
    const chain = [leaf, intermediate];
    await expect(verifyChain({ chain, anchors, eku: EKU_CLIENT, at: new Date() })).resolves.toBeDefined();
  });

  it("are readable by their owner only, and never overwritten", async () => {
    for (const name of ["ca/root.jwk.json", "ca/intermediate.jwk.json", "secrets.json"]) {
      expect(statSync(file(name)).mode & 0o077).toBe(0);
    }
    await expect(ops("ca", "root", "--dir", file("ca"), "--name", "x")).rejects.toThrow("is there already");
    await expect(ops("secrets", "--out", secretFile, "--ca", file("ca"))).rejects.toThrow("is there already");
  });

  it("rotate: a new key signs, or is announced first; the last one cannot go", async () => {
    const ring = (name: string) =>
      (JSON.parse(secrets()[name] ?? "") as { keys: PrivateJwk[] }).keys.map(({ kid }) => kid);
    const rotate = (...words: string[]) => ops("keys", "rotate", "--file", secretFile, "--ring", ...words);
    const [old = ""] = ring("ACCESS_TOKEN_KEYS");
    await rotate("ACCESS_TOKEN_KEYS");
    expect(ring("ACCESS_TOKEN_KEYS")).toEqual([expect.not.stringContaining(old), old]);
    await rotate("ACCESS_TOKEN_KEYS", "--drop", old);
    expect(ring("ACCESS_TOKEN_KEYS")).toHaveLength(1);
    const [signing = ""] = ring("TRANSACTION_TOKEN_KEYS");
    await rotate("TRANSACTION_TOKEN_KEYS", "--announce");
    const [, announced = ""] = ring("TRANSACTION_TOKEN_KEYS");
    await rotate("TRANSACTION_TOKEN_KEYS", "--promote", announced);
    expect(ring("TRANSACTION_TOKEN_KEYS")).toEqual([announced, signing]);
    const [only = ""] = ring("AUDIT_SEAL_KEYS");
    await expect(rotate("AUDIT_SEAL_KEYS", "--drop", only)).rejects.toThrow("last key");
    await expect(rotate("PEPPER")).rejects.toThrow(UsageError);
  });

  it("intermediate: takes the place of the one in the file, and nothing else changes", async () => {
    const before = secrets();
    for (const name of ["pem", "jwk.json"])
      renameSync(file(`ca/intermediate.${name}`), file(`leaked.${name}`));
    await ops("ca", "intermediate", "--dir", file("ca"), "--name", "Example Air Tag Service 2");
    await ops("keys", "intermediate", "--file", secretFile, "--ca", file("ca"));
    const changed = Object.keys(before).filter((name) => before[name] !== secrets()[name]);
    expect(changed).toEqual(["CA_INTERMEDIATE_CERT", "CA_INTERMEDIATE_KEY"]);
    expect((await secretsIn(secrets())).filter(({ state }) => state !== "ok")).toEqual([]);
  });
});

describe("clients and accounts", () => {
  it("are made with secrets that are shown once and kept as hashes", async () => {
    const create = ["client", "create", "--id", "desk", "--name", "O'Hara's desk", "--login", "b2b"];
    const shown = await withSecrets(...create, "--airline", "SK", "--origin", "https://desk.example");
    const [row] = await operator.db.select().from(schema.clients).where(eq(schema.clients.id, "desk"));
    const b2bSecret = shownAs(shown, "X-B2B-Secret");
    expect(row).toMatchObject({
      name: "O'Hara's desk",
      enabled: true,
      keyHash: await clientKeyHash(shownAs(shown, "X-Source-App-Key")),
      b2bSecretHash: await b2bSecretHash(pepper(), b2bSecret),
    });
    const passengers = ["tag:read", "tag:write", "tag:unlock", "journey:read", "journey:bag"];
    expect(row?.scopes).toEqual([...passengers, "tag:release", "bag:trace"]);
    expect(JSON.stringify(row)).not.toContain(b2bSecret);
    const origins = await operator.db.select().from(schema.clientOrigins);
    expect(origins).toContainEqual({ origin: "https://desk.example", clientId: "desk" });
    expect((await ops("client", "list")).join("\n")).toContain("desk\tenabled\tb2b\tSK");

    const account = ["--client", "desk", "--username", "gate-7"];
    const made = await withSecrets("account", "create", ...account, "--airline", "SK");
    const [staff] = await operator.db.select().from(schema.b2bAccounts).where(sql`username = 'gate-7'`);
    expect(await verifyPassword(pepper(), shownAs(made, "password"), staff?.passwordHash ?? "")).toBe(true);
  });

  it("are given their flags, and other ones later", async () => {
    const flagsNow = async () => (await operator.json("client", "show", "--id", "page")).flags;
    const flags = ["requireDpop", "requireApprovedContent", "requireLoadedJourney"];
    const create = "client create --id page --name Page --login guest --evidence none".split(" ");
    await ops(...create, ...flags.flatMap((flag) => ["--flag", flag]));
    expect(await flagsNow()).toEqual(flags);
    await ops("client", "flags", "--id", "page", "--flag", "requireDpop");
    expect(await flagsNow()).toEqual(["requireDpop"]);
  });

  it("are disabled: an account with its sessions, a client by itself", async () => {
    const create = "client create --id closed --name Closed --login b2b --airline SK".split(" ");
    await withSecrets(...create, "--origin", "https://closed.example");
    const account = ["--client", "closed", "--username", "gate-8"];
    await withSecrets("account", "create", ...account, "--airline", "SK");
    const sub = await staffSubject(pepper(), "closed", "gate-8");
    await operator.db.insert(schema.sessions).values({ ...SESSION, id: "s1", sub, clientId: "closed" });
    expect(await withSecrets("account", "disable", ...account)).toEqual([
      "account gate-8: disabled, 1 sessions ended",
    ]);
    const [ended] = await operator.db.select().from(schema.sessions).where(sql`id = 's1'`);
    expect(ended?.revokedAt).toBeGreaterThan(0);
    await operator.db.insert(schema.sessions).values({ ...SESSION, id: "s2", sub, clientId: "closed" });
    expect(await ops("session", "end", "--client", "closed")).toEqual(["sessions ended: 1"]);
    await ops("client", "disable", "--id", "closed");
    expect((await ops("client", "list")).join("\n")).toContain("closed\tdisabled");
  });

  it("are not made with a policy that the service could not read", async () => {
    writeFileSync(file("misspelt.json"), JSON.stringify({ webautn: {} }));
    const create = "client create --id x --name x --login guest --attestation-policy".split(" ");
    await expect(ops(...create, file("misspelt.json"))).rejects.toThrow("is no attestation policy");
  });
});

const SESSION = {
  clientBound: true,
  method: "b2b" as const,
  evidence: "b2b" as const,
  scopes: [],
  airlines: [],
  refreshCounter: 0,
  refreshHash: "h",
  refreshedAt: 0,
  refreshExpiresAt: 0,
  createdAt: 0,
  expiresAt: 0,
};

describe("what the service knows of others", () => {
  it("issuers, with public keys only", async () => {
    writeFileSync(file("public.json"), JSON.stringify({ keys: [{ kty: "EC", x: "x" }] }));
    writeFileSync(file("private.json"), JSON.stringify({ keys: [{ kty: "EC", x: "x", d: "d" }] }));
    const add = ["issuer", "add", "--issuer", "https://host.example", "--audience", "tags"];
    await expect(ops(...add, "--jwks", file("private.json"))).rejects.toThrow("a private key");
    await ops(...add, "--jwks", file("public.json"), "--travel-plans");
    const [row] = await operator.db
      .select()
      .from(schema.federatedIssuers)
      .where(sql`issuer like '%host.example'`);
    expect(row).toMatchObject({
      audience: "tags",
      maxAgeSeconds: 300,
      loadsTravelPlans: true,
      algorithms: ["ES256"],
    });
    const app = "client create --id app --name App --login federated --issuer https://host.example";
    await ops(...app.split(" "));
  });

  it("ranges of licence plates", async () => {
    const set = ["plates", "set", "--airline", "XX", "--issuer", "999", "--first", "100000"];
    expect(await ops(...set, "--last", "199999")).toEqual(["plates of XX: 100000"]);
    const [row] = await operator.db.select().from(schema.plateRanges).where(sql`airline = 'XX'`);
    expect(row).toMatchObject({ leading: 0, issuer: "999", nextSerial: 100_000 });
  });

  it("tags, by certificates of a CA that is named, and by lists", async () => {
    const [tag] = demoTags.filter(({ generation }) => generation === "2.1");
    const certificate = tag?.certificateChain?.[0] ?? "";
    const [demo] = await operator.db.select().from(schema.devices).where(sql`id = ${tag?.id}`);
    await operator.db.delete(schema.devices).where(sql`id = ${tag?.id}`);
    writeFileSync(file("tags.pem"), toPem(fromBase64(certificate)));
    writeFileSync(file("tag-root.pem"), toPem(fromBase64(tagCa.certificate)));
    const load = (name: string, ...words: string[]) =>
      ops("devices", "import", "--file", file(name), ...words);
    await expect(load("tags.pem")).rejects.toThrow("--tag-root is missing");
    await expect(load("tags.pem", "--tag-root", file("ca/root.pem"))).rejects.toThrow();
    await load("tags.pem", "--tag-root", file("tag-root.pem"));
    const [known] = await operator.db.select().from(schema.devices).where(sql`id = ${tag?.id}`);
    expect(known).toMatchObject({ gattVersion: "2.1" });
    expect(known && (await keyHashOf(known))).toBe(demo?.tagSpkiHash);

    const hash = "A".repeat(43);
    writeFileSync(file("tags.csv"), `id,spkiHash\nACME-0001,${hash}\nacme-0002,\n`);
    expect(await load("tags.csv")).toEqual(["devices at v2.1: 2"]);
    const listed = await operator.db.select().from(schema.devices).where(sql`id like 'acme-%' order by id`);
    expect(listed).toMatchObject([
      { id: "acme-0001", label: "ACME-0001", gattVersion: "2.1", tagSpkiHash: hash },
      { id: "acme-0002", gattVersion: "2.1", tagSpkiHash: null },
    ]);
    writeFileSync(file("stolen.csv"), `id,certificate\nacme-0003,${certificate}\n`);
    await expect(load("stolen.csv", "--tag-root", file("tag-root.pem"))).rejects.toThrow(
      'line 2 (acme-0003): the certificate is of "',
    );
  });

  it("keys that are revoked, with every certificate of theirs", async () => {
    const spkiHash = "S".repeat(43);
    const row = { sessionId: "s", sub: "s", clientId: "c", spkiHash, issuedAt: 0, expiresAt: 0 };
    await operator.db.insert(schema.certificates).values([
      { ...row, serial: "aa" },
      { ...row, serial: "bb" },
    ]);
    expect(await ops("key", "revoke", "--serial", "AA")).toEqual(["revoked: every certificate of the key"]);
    const revoked = await operator.db.select().from(schema.revokedKeys);
    expect(revoked).toMatchObject([{ spkiHash, revokedAt: expect.any(Number) }]);
    await expect(ops("key", "revoke", "--spki", spkiHash)).rejects.toThrow("revoked already");
  });
});

it("shows a group by its name, heads of columns beside the answer, and in JSON why it failed", async () => {
  const { lines, sentence } = await operator.outcome("plates");
  expect(sentence).toBe("no command plates");
  expect(await ops("plates", "--help")).toEqual(lines);
  expect(lines.slice(2).map((line) => line.trim().split("  ")[0])).toEqual(["plates set", "plates list"]);
  await ops("plates", "list");
  const heads = "airline\tfirst\tlast\tnext";
  expect(operator.notes).toEqual([`database: this machine's, ${file("state")}`, heads]);
  const failed = await operator.outcome("client", "show", "--id", "absent", "--json");
  expect(JSON.parse(failed.lines.join(""))).toEqual({ said: [], error: "no client absent" });
});

it("the demo data are put back as on the first start, on this machine only", async () => {
  await operator.db.insert(schema.auditLog).values({ at: 7, event: "left over", requestId: "r" });
  await operator.db.delete(schema.bags);
  expect(await ops("demo", "reset")).toEqual([
    "demo data as on the first start: every tag unlocked, journeys tomorrow",
  ]);
  expect(await operator.db.select().from(schema.auditLog)).toEqual([]);
  expect((await operator.db.select().from(schema.bags)).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  await expect(ops("demo", "reset", "--remote")).rejects.toThrow(UsageError);
});
