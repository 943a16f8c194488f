import { describe, expect, test } from "vitest";
import { type GattVersion, PROFILE } from "../../core/gatt/profile.ts";
import { toPem } from "../../core/pki/pem.ts";
import { makeAuthorities } from "../test-support/authorities.ts";
import type { Interference } from "../test-support/fake-service.ts";
import { type ScriptedScene, scriptedScene, traces, virtually } from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";
import type { ProgressEvent } from "../types.ts";

const GENERATIONS: readonly GattVersion[] = ["2.1", "2.0"];
const STATUS = PROFILE.characteristics.STATUS.uuid;

/** What was said to the tag, but for reads. */
const said = ({ tag }: ScriptedScene) =>
  tag.connections.flatMap(({ messages }) => messages.map(({ type }) => type));
/** What the service was asked about the tag, but for the look-up of the id that was asked for. */
const asked = ({ service }: ScriptedScene) =>
  service.calls.filter(({ path }) => path.includes("/ebt-") && !path.endsWith("lookups")).length;

describe.each(GENERATIONS)("a tag of GATT v%s", (generation) => {
  test.each(["transfer", "clear"] as const)(
    "with a low battery is left alone by a %s, before anything else",
    async (job) => {
      const weak: Script = { info: { flags: { lowBattery: true, displayBlank: true } } };
      const scene = await scriptedScene(generation, [weak]);
      const result = await scene[job]();
      expect(traces(scene, result)).toMatchObject({ outcome: "TagError:low_battery", links: 1, open: 0 });
      expect(result).toMatchObject({ error: { status: "LOW_BATTERY" } });
      expect({ said: said(scene), asked: asked(scene) }).toEqual({ said: [], asked: 0 });
    },
  );

  test("that is another than the one asked for receives nothing", async () => {
    const scene = await scriptedScene(generation, [{}]);
    const result = await scene.transfer({ uniqueDeviceId: "another" });
    expect(traces(scene, result)).toMatchObject({ outcome: "TagError:wrong_tag", links: 1, open: 0 });
    expect({ said: said(scene), asked: asked(scene) }).toEqual({ said: [], asked: 0 });
  });

  test.each(["transfer", "clear"] as const)("is let go at the end of a %s", async (job) => {
    const scene = await scriptedScene(generation, [{}]);
    expect(traces(scene, await scene[job]())).toMatchObject({ outcome: "ok", links: 1, open: 0 });
  });

  test("whose link falls three times is reached a fourth time", async () => {
    const last = generation === "2.1" ? "token" : "TOKEN";
    let falls = 3;
    const falling: Script = { falls: (message) => (message === last && falls-- > 0 ? "before" : undefined) };
    const scene = await scriptedScene(generation, [falling]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "ok",
      links: 4,
      open: 0,
      retries: ["link_lost", "link_lost", "link_lost"],
    });
  });

  test("whose link falls a fourth time is given up", async () => {
    const last = generation === "2.1" ? "token" : "TOKEN";
    const falling: Script = { falls: (message) => (message === last ? "before" : undefined) };
    const scene = await scriptedScene(generation, [falling]);
    const result = await scene.transfer();
    expect(traces(scene, result)).toMatchObject({
      outcome: "BluetoothError:link_lost",
      links: 4,
      open: 0,
      commits: 0,
    });
  });
});

test("a v2.1 tag that cannot prove itself is not asked again", async () => {
  const scene = await scriptedScene("2.1", [{}]);
  scene.service.configuration.tagRoots = [toPem((await makeAuthorities()).tagRoot)];
  const result = await scene.transfer();
  expect(traces(scene, result)).toMatchObject({
    outcome: "TagError:untrusted_tag",
    links: 1,
    tokens: 0,
    open: 0,
  });
});

test("a v2.1 tag whose CA may not name it cannot prove itself", async () => {
  for (const [prefix, outcome] of [
    ["other-", "TagError:untrusted_tag"],
    ["EBT-", "ok"],
  ] as const) {
    const scene = await scriptedScene("2.1", [{}]);
    Object.assign(scene.service.configuration, { tagRootIds: [[prefix]] });
    const result = await scene.transfer();
    expect(result.ok ? "ok" : traces(scene, result).outcome).toBe(outcome);
  }
});

test("a connection that is tried again is reported", async () => {
  const connect = async (_signal: AbortSignal, again: () => void) => {
    again();
    return scene.tag.connect();
  };
  const find = async () => ({ deviceId: "scripted", name: "", connect });
  const radio = { choose: () => Promise.reject(), find, remembered: async () => [] };
  const scene: ScriptedScene = await scriptedScene("2.1", [], { radio });
  expect(traces(scene, await scene.transfer())).toMatchObject({ outcome: "ok", retries: ["connect_failed"] });
});

/** The certificate comes after so many virtual milliseconds. */
const after =
  (milliseconds: number): Interference =>
  async (_call, answer) => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    return answer();
  };

/** A transfer right behind a pick, to a service that takes its time over the certificate. */
async function transferWaiting(
  milliseconds: number,
  halfway: (scene: ScriptedScene) => void = () => undefined,
) {
  const scene = await scriptedScene("2.1", [{}]);
  scene.service.next("guest/sessions", async (call, answer) => {
    const answered = await after(milliseconds / 2)(call, answer);
    halfway(scene);
    return answered;
  });
  let before: number | undefined;
  scene.service.next("device-client-certificates", async (call, answer) => {
    const answered = await after(milliseconds / 2)(call, answer);
    before = said(scene).length;
    return answered;
  });
  const result = await virtually(async () => {
    await scene.client.pickTag();
    const onProgress = (event: ProgressEvent) => void scene.events.push(event);
    return scene.client.transferTag(scene.request, undefined, { onProgress });
  });
  const kept = scene.tag.connections[0]?.reads.filter((uuid) => uuid === STATUS).length ?? 0;
  return { ...traces(scene, result), kept, before };
}

describe("a tag that waits for our certificate", () => {
  test("is asked for STATUS every 4 s, so that it stays", async () => {
    expect(await transferWaiting(3_900)).toMatchObject({ outcome: "ok", links: 1, kept: 0 });
    expect(await transferWaiting(8_100)).toMatchObject({ outcome: "ok", links: 1, kept: 2 });
  });

  test("receives nothing before it is there", async () => {
    expect(await transferWaiting(8_100)).toMatchObject({ outcome: "ok", before: 0 });
  });

  test("and whose link falls is connected again, which is no loss", async () => {
    const falls = ({ tag }: ScriptedScene) => tag.connections[0]?.close();
    expect(await transferWaiting(12_500, falls)).toMatchObject({ outcome: "ok", links: 2, retries: [] });
  });

  test("for longer than it would wait for a handshake is connected again", async () => {
    expect(await transferWaiting(11_500)).toMatchObject({ outcome: "ok", links: 1 });
    expect(await transferWaiting(12_500)).toMatchObject({ outcome: "ok", links: 2 });
  });
});
