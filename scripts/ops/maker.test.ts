import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { fromBase64, toBase64, toBase64Url } from "../../core/encoding/bytes.ts";
import { spkiThumbprint } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { fromPem } from "../../core/pki/pem.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import * as schema from "../../db/schema.ts";
import { keyOfSpki, storedKey } from "../../worker/devices/identity.ts";
import { generateKeys } from "../serve/keys.ts";
import { operatorHere } from "./test-support/operator.ts";

/** A maker's own commands, with keys and requests that openssl makes, and its verification of what comes out. */

const operator = operatorHere();
const { file, ops } = operator;
const openssl = (...args: string[]) => execFileSync("openssl", args, { stdio: "pipe" });

beforeAll(() => ops("maker", "ca", "--dir", file("ca"), "--name", "Example Tags CA"));

const maker = (command: string, ...words: string[]) => ops("maker", command, "--dir", file("ca"), ...words);
const tag = (id: string, ...words: string[]) => maker("tag", "--id", id, "--out", file("out"), ...words);

/** A key, and a request for it; `curve` as openssl names it. */
function request(name: string, subject: string, curve = "prime256v1"): string {
  openssl("ecparam", "-name", curve, "-genkey", "-noout", "-out", file(`${name}.key`));
  openssl("req", "-new", "-key", file(`${name}.key`), "-subj", subject, "-out", file(`${name}.csr`));
  return file(`${name}.csr`);
}

/** The request as a list holds it; without one yet, that of a tag of this name. */
const der = (name: string) => {
  if (!existsSync(file(`${name}.csr`))) request(name, `/serialNumber=${name}`);
  openssl("req", "-in", file(`${name}.csr`), "-outform", "DER", "-out", file(`${name}.der`));
  return toBase64(new Uint8Array(readFileSync(file(`${name}.der`))));
};

async function leafIn(path: string) {
  const [leaf] = fromPem(readFileSync(path, "utf8"));
  const anchors = fromPem(readFileSync(file("ca/tag-ca.pem"), "utf8"));
  return verifyChain({ chain: leaf ? [leaf] : [], anchors, eku: EKU_TAG, at: new Date() });
}

it("issues a certificate for the key of a request, as openssl and a client verify it", async () => {
  await tag("acme-1", "--csr", request("acme-1", "/serialNumber=acme-1"));
  const verified = openssl("verify", "-CAfile", file("ca/tag-ca.pem"), file("out/acme-1.pem")).toString();
  expect(verified).toContain("OK");
  const { subjectSerialNumber, spki } = await leafIn(file("out/acme-1.pem"));
  expect(subjectSerialNumber).toBe("acme-1");
  openssl("pkey", "-in", file("acme-1.key"), "-pubout", "-outform", "DER", "-out", file("acme-1.spki"));
  expect(spki).toEqual(new Uint8Array(readFileSync(file("acme-1.spki"))));
});

it("issues one for a public key, and one with a key made here that belongs to it", async () => {
  request("acme-2", "/CN=unused");
  openssl("pkey", "-in", file("acme-2.key"), "-pubout", "-out", file("acme-2.pub"));
  await tag("acme-2", "--key", file("acme-2.pub"));
  expect((await leafIn(file("out/acme-2.pem"))).subjectSerialNumber).toBe("acme-2");
  expect(existsSync(file("out/acme-2.key.pem"))).toBe(false);

  await tag("acme 3/é");
  const path = file("out/acme%203%2F%C3%A9");
  expect(statSync(`${path}.key.pem`).mode & 0o077).toBe(0);
  openssl("pkey", "-in", `${path}.key.pem`, "-pubout", "-outform", "DER", "-out", file("acme-3.spki"));
  const { subjectSerialNumber, spki } = await leafIn(`${path}.pem`);
  expect(subjectSerialNumber).toBe("acme 3/é");
  expect(spki).toEqual(new Uint8Array(readFileSync(file("acme-3.spki"))));
  // A second certificate must not come with a second key under the same name.
  await expect(tag("acme 3/é")).rejects.toThrow("is there already");
});

it.each([
  ["of another tag", () => request("other", "/serialNumber=acme-9"), /is of "acme-9"/],
  ["on another curve", () => request("curve", "/CN=x", "secp384r1"), /not on P-256/],
  ["of two tags", () => request("two", "/serialNumber=acme-4/serialNumber=acme-9"), /several serial numbers/],
  ["that is too long", () => request("long", `/OU=${"a".repeat(64)}`.repeat(30)), /is too long/],
  ["that is no request", () => requestFile("none", Buffer.of(0x30, 0)), /not a certificate request/],
  ["that was altered", altered, /not signed by its key/],
  ["that is a certificate", () => file("ca/tag-ca.pem"), /does not hold what is asked for/],
])("refuses a request %s, and writes nothing", async (_, path, message) => {
  await expect(tag("acme-4", "--csr", path())).rejects.toThrow(message);
  expect(existsSync(file("out/acme-4.pem"))).toBe(false);
});

function altered(): string {
  request("altered", "/CN=honest");
  const bytes = Buffer.from(der("altered"), "base64");
  bytes.set(Buffer.from("hacked"), bytes.indexOf("honest"));
  return requestFile("altered", bytes);
}

function requestFile(name: string, bytes: Buffer): string {
  const body = bytes.toString("base64");
  writeFileSync(
    file(`${name}.csr`),
    `-----BEGIN CERTIFICATE REQUEST-----\n${body}\n-----END CERTIFICATE REQUEST-----\n`,
  );
  return file(`${name}.csr`);
}

it.each([" acme", "a,b", "a\nb", "é".repeat(33)])("refuses the device id %j", async (id) => {
  await expect(tag(id)).rejects.toThrow("--id has 1 to 64 bytes");
});

/** What the import prints of the tags that are certified as `list` asks. */
async function importBatch(list: string): Promise<readonly string[]> {
  writeFileSync(file("batch.csv"), list);
  rmSync(file("tags.csv"), { force: true });
  await maker("batch", "--file", file("batch.csv"), "--out", file("tags.csv"));
  return ops("devices", "import", "--file", file("tags.csv"), "--tag-root", file("ca/tag-ca.pem"));
}

it("issues a batch that `devices import` takes, and the service then knows the keys", async () => {
  const { publicKey } = await generateKeys();
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
  const batch = `id,csr,publicKey\nb-1,${der("b-1")},\nb-2,${der("b-2")},\nB-3,,${toBase64(spki)}\n`;
  expect(await importBatch(batch)).toEqual(["devices at v2.1: 3"]);
  const rows = await operator.db
    .select()
    .from(schema.devices)
    .where(sql`${schema.devices.id} like 'b-_' order by id`);
  expect(rows).toMatchObject([
    { id: "b-1", gattVersion: "2.1" },
    { id: "b-2", gattVersion: "2.1" },
    { id: "b-3", label: "B-3", gattVersion: "2.1" },
  ]);
  expect(rows[2]).toMatchObject(storedKey(keyOfSpki(spki)));
});

it("a list of hashes keeps the key that is known, unless it names another", async () => {
  const keyOf = () => operator.db.select().from(schema.devices).where(eq(schema.devices.id, "b-3")).get();
  await importBatch(`id,publicKey\nb-3,${spkiOf("b-3")}\n`);
  const spki = fromBase64(spkiOf("b-3"));
  const known = storedKey(keyOfSpki(spki));
  expect(await keyOf()).toMatchObject(known);
  const load = async (hash: string) => {
    writeFileSync(file("hashes.csv"), `id,spkiHash\nb-3,${hash}\n`);
    await ops("devices", "import", "--file", file("hashes.csv"));
  };
  await load(toBase64Url(await spkiThumbprint(spki)));
  expect(await keyOf()).toMatchObject(known);
  await load("A".repeat(43));
  expect(await keyOf()).toMatchObject({ tagKey: null, tagSpkiHash: "A".repeat(43) });
});

it.each([
  [
    "one id in two spellings",
    () => `id,publicKey\nd-1,${spkiOf("b-1")}\nD-1,${spkiOf("b-2")}\n`,
    "the same id",
  ],
  ["a tag without a key", () => `id,csr\nb-1,${der("b-1")}\nb-1b,\n`, "line 3: csr or publicKey"],
  [
    "one key under two ids",
    () => `id,publicKey\nd-1,${spkiOf("b-1")}\nd-2,${spkiOf("b-1")}\n`,
    "the same key",
  ],
  ["no base64", () => "id,csr\nd-1,!\n", "line 2: not base64"],
])("refuses a batch with %s as a whole", async (_, text, message) => {
  writeFileSync(file("bad.csv"), text());
  await expect(maker("batch", "--file", file("bad.csv"), "--out", file("bad-out.csv"))).rejects.toThrow(
    message,
  );
  expect(existsSync(file("bad-out.csv"))).toBe(false);
});

/** The public key as a list holds it; without a key yet, a new one. */
function spkiOf(name: string): string {
  if (!existsSync(file(`${name}.key`))) request(name, `/serialNumber=${name}`);
  openssl("pkey", "-in", file(`${name}.key`), "-pubout", "-outform", "DER", "-out", file(`${name}.spki`));
  return toBase64(new Uint8Array(readFileSync(file(`${name}.spki`))));
}
