import { expect, test } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { decodeStatement } from "../../core/sec/statement.ts";
import { refuse, STAFF_PIN } from "../test-support/fake-service.ts";
import { outcomeOf, type Scene, type SceneOptions, scene, valueIn } from "../test-support/scene.ts";

const REFUSED = "ServiceError:insufficient_scope";
const staff = { id: "1001", pin: STAFF_PIN };

/** A tag with a lock that opens only to the tag's statement, and to it if `opens`. */
async function othersLock(opens = true, options?: SceneOptions): Promise<Scene> {
  const here = await scene(options);
  here.service.lockToStranger(here.picked.uniqueDeviceId);
  here.service.endsLock = () => opens;
  await here.client.disconnect(here.picked.deviceId);
  return here;
}

const release = ({ client, picked: { uniqueDeviceId, deviceId } }: Scene, inHand = true) =>
  client.tags.release(uniqueDeviceId, "handover", { staff, ...(inHand && { deviceId }) });
const sent = ({ service }: Scene) =>
  service.calls.filter(({ path }) => path.endsWith("lock-releases")).map(({ body }) => body);
const isLocked = ({ service, picked }: Scene) => service.locks.has(picked.uniqueDeviceId);

test("another airline's lock opens to the statement of the tag in hand", async () => {
  const here = await othersLock();
  expect(valueIn(await release(here))).toMatchObject({ locked: false });
  const [first, second, ...more] = sent(here);
  expect(more).toEqual([]);
  expect(first).toEqual({ uniqueDeviceId: here.picked.uniqueDeviceId, reason: "handover", staff });
  expect(second).toEqual({
    ...first,
    tagStatement: expect.any(String),
    tagCertificate: expect.any(String),
  });
  const { statement } = decodeStatement(fromBase64Url(second?.tagStatement ?? ""));
  expect(statement.challenge).toHaveLength(16);
  expect(here.tag.snapshot().connected).toBe(false);
  expect(here.client.diagnostics.runs().at(-1)).toMatchObject({ operation: "release", outcome: "ok" });
});

test("the tag is left alone where the service needs no statement", async () => {
  const here = await othersLock();
  here.service.endsLock = undefined;
  const connections: string[] = [];
  here.tag.observe(({ type }) => connections.push(type));
  valueIn(await release(here));
  expect(sent(here)).toHaveLength(1);
  expect(connections).toEqual([]);
});

test("a statement that does not suffice is sent once, and the lock stays", async () => {
  const here = await othersLock(false);
  expect(outcomeOf(await release(here))).toBe(REFUSED);
  expect(sent(here)).toHaveLength(2);
  expect(isLocked(here)).toBe(true);
});

test.each<[string, boolean, SceneOptions]>([
  ["is not in hand", false, {}],
  ["does not sign", true, { tag: { signs: false } }],
  ["has no certificate", true, { generation: "2.0" }],
])("the refusal stands where the tag %s", async (_, inHand, options) => {
  const here = await othersLock(true, options);
  expect(outcomeOf(await release(here, inHand))).toBe(REFUSED);
  expect(sent(here)).toHaveLength(1);
  expect(isLocked(here)).toBe(true);
  expect(here.tag.snapshot().connected).toBe(false);
});

test("what is refused for another cause asks no tag", async () => {
  const here = await othersLock();
  here.service.next("lock-releases", refuse("invalid_credentials"));
  expect(outcomeOf(await release(here))).toBe("ServiceError:invalid_credentials");
  expect(here.service.count("ebt-lookups")).toBe(0);
});

test("a tag that is asleep by then says so, and the lock stays", async () => {
  const here = await othersLock();
  here.tag.faults.refuseConnects = 99;
  expect(outcomeOf(await release(here))).toMatch(/^BluetoothError:/);
  expect(isLocked(here)).toBe(true);
});
