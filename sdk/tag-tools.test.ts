import { expect, test } from "vitest";
import { toBase64Url } from "../core/encoding/bytes.ts";
import { neverCancelled } from "./abort.ts";
import type { TagRadio } from "./tag/link.ts";
import { createTagTools } from "./tag-tools.ts";
import { makeAuthorities } from "./test-support/authorities.ts";
import { FakeService } from "./test-support/fake-service.ts";

const signal = neverCancelled();

async function tools() {
  const authorities = await makeAuthorities();
  const service = new FakeService(authorities);
  const settings = { baseUrl: "https://service.example", databaseName: "tools", fetch: service.fetch };
  return { authorities, service, tools: createTagTools(settings), settings };
}

test("a certificate and the roots above tags are there before any tag is", async () => {
  const { authorities, tools: made } = await tools();
  const { credential, tagRoots } = await made.prepare(signal);
  expect(tagRoots).toEqual([authorities.tagRoot]);
  expect(credential.chain.at(-1)).toEqual(authorities.intermediate.certificate);
  expect(credential.privateKey.extractable).toBe(false);
});

test("a token is asked for as wished, unless that is cancelled", async () => {
  const { service, tools: made } = await tools();
  const wish = {
    uniqueDeviceId: "ebt-20-0005",
    generation: "2.0",
    nonce: new Uint8Array(16).fill(1),
    operation: "clear",
    payloadDigest: new Uint8Array(32).fill(2),
  } as const;
  expect((await made.transactionToken(wish, signal)).length).toBeGreaterThan(0);
  expect(service.calls.at(-1)).toMatchObject({
    path: expect.stringContaining("ebt-authorizations"),
    body: { uniqueDeviceId: "ebt-20-0005", payloadDigest: toBase64Url(wish.payloadDigest) },
  });
  const outcome = made.transactionToken(wish, AbortSignal.abort());
  await expect(outcome).rejects.toMatchObject({ code: "cancelled" });
});

test("the radio is the host's, or else the browser's", async () => {
  const { settings, tools: made } = await tools();
  const radio = {} as TagRadio;
  expect(createTagTools({ ...settings, radio }).radio).toBe(radio);
  await expect(made.radio.choose(undefined, signal)).rejects.toMatchObject({ code: "unsupported" });
});
