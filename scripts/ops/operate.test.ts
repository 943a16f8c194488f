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
import { b2bSecretHash, staffSubject, verifyPassword } from "../../worker/secrets/credentials.ts";
import { clientKeyHash } from "../../worker/secrets/sealed.ts";
import { foreignRows } from "../../worker/test-support/foreign-rows.ts";
import { generateKeys, type PrivateJwk } from "../serve/keys.ts";
import { secretsIn } from "./doctor.ts";
import { devSecrets, everyRow, operatorHere } from "./test-support/operator.ts";

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

it("secrets of clients, accounts and staff are shown once, and stored as hashes or sealed", async () => {
  const origin = ["--origin", "https://desk.example"];
  const create = ["client", "create", "--id", "desk", "--name", "O'Hara's desk", "--login", "b2b", ...origin];
  const client = await withSecrets(...create, "--airline", "SK");
  const b2bSecret = shownAs(client, "X-B2B-Secret");
  const [row] = await operator.db.select().from(schema.clients).where(eq(schema.clients.id, "desk"));
  expect(row).toMatchObject({
    name: "O'Hara's desk",
    scopes: [
      "tag:read",
      "tag:write",
      "tag:unlock",
      "journey:read",
      "journey:bag",
      "tag:release",
      "bag:trace",
    ],
    keyHash: await clientKeyHash(shownAs(client, "X-Source-App-Key")),
    b2bSecretHash: await b2bSecretHash(pepper(), b2bSecret),
  });
  const account = ["account", "create", "--client", "desk", "--username", "gate-7", "--airline", "SK"];
  const password = shownAs(await withSecrets(...account), "password");
  const desk = await operator.db.select().from(schema.b2bAccounts).where(sql`username = 'gate-7'`).get();
  expect(await verifyPassword(pepper(), password, desk?.passwordHash ?? "")).toBe(true);
  const add = ["staff", "add", "--client", "desk", "--id", "k 1001", "--name", "Ada Lovelace"];
  await withSecrets(...add);
  await ops("staff", "disable", "--client", "desk", "--id", "K1001");
  const pin = shownAs(await withSecrets(...add), "PIN");
  expect(pin).toMatch(/^\d{6}$/);
  const member = await operator.db.select().from(schema.staffMembers).get();
  expect(member).toMatchObject({ clientId: "desk", staffId: "K1001", enabled: true });
  expect(await verifyPassword(pepper(), pin, member?.pinHash ?? "")).toBe(true);
  expect(await withSecrets("staff", "list", "--client", "desk")).toEqual(["K1001\ttrue\tAda Lovelace"]);
  const everything = JSON.stringify(await everyRow(operator.db));
  for (const each of [b2bSecret, password, pin, "Lovelace"]) expect(everything).not.toContain(each);
  expect(everything).toContain("https://desk.example");
});

it("a member of staff is forgotten, and the audit log stays", async () => {
  await ops("staff", "add", "--client", "client-kiosk", "--id", "1001", "--name", "Ada");
  const row = { at: 8, event: "staff_checked", requestId: "r", staffId: "1001" };
  await operator.db.insert(schema.auditLog).values(row);
  await ops("staff", "forget", "--client", "client-kiosk", "--id", "1001");
  expect(await operator.db.$count(schema.staffNames)).toBe(0);
  expect(await ops("staff", "list", "--client", "client-kiosk")).toEqual(["1001\tfalse\t"]);
  expect(await operator.db.$count(schema.auditLog, sql`staff_id = '1001'`)).toBe(1);
});

it("an account is disabled with its sessions", async () => {
  for (const statement of foreignRows("LH", 1, Date.now())) await operator.db.run(sql.raw(statement));
  const sub = await staffSubject(fromBase64Url(devSecrets.PEPPER ?? ""), "client-kiosk", "kiosk-osl-1");
  await operator.db.update(schema.sessions).set({ sub });
  const account = ["--client", "client-kiosk", "--username", "kiosk-osl-1"];
  expect(await ops("account", "disable", ...account)).toEqual([
    "account kiosk-osl-1: disabled, 1 sessions ended",
  ]);
  expect((await operator.db.select().from(schema.sessions).get())?.revokedAt).toBeGreaterThan(0);
  expect(await ops("account", "list")).toEqual([
    "client-kiosk\tkiosk-osl-1\tfalse\tSK",
    "client-partner\tkiosk-osl-1\ttrue\tSK",
  ]);
});

it("an issuer's keys are public ones", async () => {
  const add = ["issuer", "add", "--issuer", "https://host.example", "--audience", "tags", "--jwks"];
  for (const [name, members] of Object.entries({ public: {}, private: { d: "d" } }))
    writeFileSync(file(`${name}.json`), JSON.stringify({ keys: [{ kty: "EC", x: "x", ...members }] }));
  await expect(ops(...add, file("private.json"))).rejects.toThrow("a private key");
  await ops(...add, file("public.json"));
  await ops(
    ..."client create --id app --name App --login federated --issuer https://host.example".split(" "),
  );
});

describe("a list of tags", () => {
  const load = (text: string, ...words: string[]) => {
    writeFileSync(file("tags.csv"), text);
    return ops("devices", "import", "--file", file("tags.csv"), ...words);
  };
  const [tag] = demoTags.filter(({ generation }) => generation === "2.1");
  const hash = "A".repeat(43);

  it("names tags by ids and hashes, or by certificates of a CA that is named", async () => {
    const root = ["--tag-root", file("tag-root.pem")];
    writeFileSync(file("tag-root.pem"), toPem(fromBase64(tagCa.certificate)));
    expect(await load(`id,spkiHash\nACME-0001,${hash}\nacme-0002,\n`)).toEqual(["devices at v2.1: 2"]);
    const listed = await operator.db.select().from(schema.devices).where(sql`id like 'acme-%' order by id`);
    expect(listed).toMatchObject([
      { id: "acme-0001", label: "ACME-0001", gattVersion: "2.1", tagSpkiHash: hash },
      { id: "acme-0002", gattVersion: "2.1", tagSpkiHash: null },
    ]);
    const certified = `id,certificate\nacme-0003,${tag?.certificateChain?.[0]}\n`;
    await expect(load(certified)).rejects.toThrow("--tag-root is missing");
    await expect(load(certified, "--tag-root", file("ca/root.pem"))).rejects.toThrow("none of the CAs");
    await expect(load(certified, ...root)).rejects.toThrow('line 2 (acme-0003): the certificate is of "');
  });

  it("goes in by batches, or not at all where one is wrong", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, i) => `bulk-${i},${hash}`);
    const inDatabase = () => operator.db.$count(schema.devices, sql`id like 'bulk-%'`);
    await expect(load(["id,spkiHash", ...rows(120), "bad,short"].join("\n"))).rejects.toThrow(
      "line 122 (bad): spkiHash is 32 bytes of base64url: 43 characters",
    );
    expect(await inDatabase()).toBe(0);
    await load(["id,spkiHash", ...rows(120)].join("\n"));
    expect(operator.notes.slice(2)).toEqual(["50 tags", "100 tags", "120 tags"]);
    expect(await inDatabase()).toBe(120);
  });
});

it("shows a group by its name, heads of columns beside the answer, and in JSON why it failed", async () => {
  const { lines, sentence } = await operator.outcome("plates");
  expect(sentence).toBe("no command plates");
  expect(await ops("plates", "--help")).toEqual(lines);
  expect(lines.slice(2).map((line) => line.trim().split("  ")[0])).toEqual(["plates set", "plates list"]);
  await ops("plates", "list");
  const heads = "airline\tleading\tissuer\tfirstSerial\tlastSerial\tnextSerial";
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
