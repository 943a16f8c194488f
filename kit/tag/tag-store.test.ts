import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifyChain } from "../../core/pki/chain.ts";
import { createTagCa, type Issuer } from "../../core/pki/issue.ts";
import { EKU_TAG } from "../../core/pki/profiles.ts";
import { ServiceUnreachable, TagStore, trustOf } from "./tag-store.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "taglatch-tag-store-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function issuer(): Promise<Issuer> {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const life = { notBefore: new Date(Date.now() - 1_000_000), notAfter: new Date(Date.now() + 1_000_000) };
  const serial = crypto.getRandomValues(new Uint8Array(16));
  const certificate = await createTagCa({ ...life, serial, commonName: "Tags", keys });
  return { certificate, privateKey: keys.privateKey };
}

test("a tag is made once, with a certificate on its own id, and is the same ever after", async () => {
  const ca = await issuer();
  const made = await new TagStore(folder).identity({ id: undefined, generation: "2.1" }, async () => ca);
  expect(made).toMatchObject({
    isNew: true,
    generation: "2.1",
    id: expect.stringMatching(/^ebt-21-[0-9a-f]{4}$/),
  });
  expect(made.address).toMatch(/^[C-F][0-9A-F](:[0-9A-F]{2}){5}$/);
  const chain = made.credential?.chain ?? [];
  const leaf = await verifyChain({ chain, anchors: [ca.certificate], eku: EKU_TAG, at: new Date() });
  expect(leaf.subjectSerialNumber).toBe(made.id);
  const never = () => Promise.reject(new Error("asked for a second certificate"));
  const again = await new TagStore(folder).identity({ id: "other", generation: "2.0" }, never);
  expect(again).toMatchObject({ isNew: false, id: made.id, address: made.address });
  expect(again.credential?.chain).toEqual(chain);
});

test("keys and memory are for their owner's eyes, and no half-written file is left", async () => {
  const store = new TagStore(folder);
  await store.identity({ id: "t", generation: "2.1" }, issuer);
  store.saveTrust({});
  const files = readdirSync(folder);
  expect(files.sort()).toEqual(["tag.json", "tag.pem", "trust.json"]);
  for (const file of files) expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
});

test("a tag that never met a service refuses to start rather than trust any service", async () => {
  const store = new TagStore(folder);
  await expect(trustOf("http://127.0.0.1:1", store)).rejects.toThrow(ServiceUnreachable);
  store.saveTrust({ clientRoots: [], tokenKeys: { keys: [] } });
  expect(await trustOf("http://127.0.0.1:1", store)).toMatchObject({ isStored: true, clientRoots: [] });
});
