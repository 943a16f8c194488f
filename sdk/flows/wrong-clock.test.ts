import { expect, test } from "vitest";
import { toPem } from "../../core/pki/pem.ts";
import { createTaglatch } from "../index.ts";
import { makeAuthorities } from "../test-support/authorities.ts";
import { type Interference, refuse } from "../test-support/fake-service.ts";
import { checkJws } from "../test-support/proofs.ts";
import { type ScriptedScene, scriptedScene, traces } from "../test-support/scripted-session.ts";

const DAY = 86_400_000;
/** Before the tag's certificate, which begins 30 days ago. */
const BEFORE = -60 * DAY;

/** A transfer by a device whose clock is `wrong` (milliseconds ahead). */
async function transferAt(wrong: number, prepare: (scene: ScriptedScene) => unknown = () => undefined) {
  const scene = await scriptedScene("2.1", [{}], { now: () => Date.now() + wrong });
  await prepare(scene);
  const result = await scene.transfer();
  return { ...scene, result, ...traces(scene, result) };
}

const undated = ({ service }: ScriptedScene) => {
  service.date = undefined;
};
const datedBy =
  (wrong: number) =>
  ({ service }: ScriptedScene) => {
    service.date = () => Date.now() + wrong;
  };
/** The next proof is refused, at a time by the service's clock. */
const refusedAt = (wrong: number): Interference =>
  refuse("invalid_dpop_proof", { Date: new Date(Date.now() + wrong).toUTCString() });

test("a clock before the tag's certificate does not matter: the service's answers correct it", async () => {
  const { outcome, commits, service } = await transferAt(BEFORE);
  expect({ outcome, commits }).toEqual({ outcome: "ok", commits: 1 });
  const proofs = service.calls.map(({ headers }) => headers.get("DPoP") ?? "");
  const attestations = service.calls.flatMap(({ body }) => body.attestationObject ?? []);
  expect(attestations).toHaveLength(1);
  for (const jws of [...proofs, ...attestations]) {
    const { iat } = (await checkJws(jws)).claims;
    expect(Math.abs(Number(iat) - Date.now() / 1_000)).toBeLessThan(60);
  }
});

test("where no answer's date can be read, that clock is named as the cause, and nothing is written", async () => {
  const { outcome, links, open, tokens, commits } = await transferAt(BEFORE, undated);
  expect(outcome).toBe("OperationError:clock_wrong");
  expect({ links, open, tokens, commits }).toEqual({ links: 1, open: 0, tokens: 0, commits: 0 });
});

test("it is not named where the service's time agrees: then the tag is not trusted", async () => {
  const { outcome } = await transferAt(BEFORE, datedBy(BEFORE));
  expect(outcome).toBe("TagError:untrusted_tag");
});

test("it is not named for a tag that is not genuine or is another, whatever the time", async () => {
  const foreign = async (scene: ScriptedScene) => {
    undated(scene);
    scene.service.configuration.tagRoots = [toPem((await makeAuthorities()).tagRoot)];
  };
  expect((await transferAt(BEFORE, foreign)).outcome).toBe("TagError:untrusted_tag");
  const another = (scene: ScriptedScene) => {
    undated(scene);
    Object.assign(scene.tag.options, { id: "EBT-21-0001" });
  };
  expect((await transferAt(BEFORE, another)).outcome).toBe("TagError:wrong_tag");
});

test("a clock that is ahead, after every certificate's end, is corrected by a refused proof", async () => {
  const { outcome, client } = await transferAt(400 * DAY, ({ service }) =>
    service.next("nonces", refusedAt(0)),
  );
  expect(outcome).toBe("ok");
  expect(Math.abs(client.now() - Date.now())).toBeLessThan(60_000);
  expect((await transferAt(400 * DAY, undated)).outcome).toBe("TagError:untrusted_tag");
});

test("a stored certificate of another tab is verified by the service's time, too", async () => {
  const { service } = await scriptedScene("2.1", []);
  const tab = (now: () => number) =>
    createTaglatch({
      baseUrl: "https://service.example",
      databaseName: "two-tabs",
      now,
      fetch: async (input, init) => {
        // Storage is read by then.
        if (String(input).includes("well-known")) await new Promise((resolve) => setTimeout(resolve, 50));
        return service.fetch(input, init);
      },
    });
  const [right, slow] = [tab(Date.now), tab(() => Date.now() - 2 * DAY)];
  service.certificateLife = DAY / 2;
  expect((await right.session.prepare()).ok).toBe(true);
  expect((await slow.session.prepare()).ok).toBe(true);
  expect(service.count("device-client-certificates")).toBe(2);
});
