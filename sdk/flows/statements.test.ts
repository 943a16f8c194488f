import { describe, expect, test } from "vitest";
import { fromBase64Url } from "../../core/encoding/bytes.ts";
import { decodeStatement } from "../../core/sec/statement.ts";
import { withResolvers } from "../abort.ts";
import type { Taglatch } from "../api.ts";
import { Database } from "../database.ts";
import { createTaglatch } from "../index.ts";
import type { StoredEntry } from "../storage.ts";
import { type Interference, unreachable } from "../test-support/fake-service.ts";
import { outcomeOf, valueIn } from "../test-support/scene.ts";
import { type ScriptedScene, scriptedScene, virtually } from "../test-support/scripted-session.ts";
import type { Script } from "../test-support/scripted-tag.ts";
import type { ProgressEvent } from "../types.ts";

const SIGNS: Script = {
  info: { caps: { suite6: true, suite3: true, statement: true, button: false } },
};

interface NextPage extends ScriptedScene {
  /** The page that is opened after it, over the same storage. */
  readonly next: Taglatch;
  readonly storage: Database;
}

let databases = 0;

/** A page whose tag goes out of reach at the commit, before it takes it or after, and the next page, where it is back. */
async function nextPage(falls: "before" | "after", script: Script = SIGNS): Promise<NextPage> {
  const databaseName = `statements-${databases++}`;
  const lost: Script = { ...script, falls: (message) => (message === "commit" ? falls : undefined) };
  const here = await scriptedScene("2.1", [lost, "out of reach"], { databaseName });
  expect(outcomeOf(await here.transfer())).toBe("TagError:outcome_unknown");
  const next = createTaglatch({
    ...{ baseUrl: "https://service.example", databaseName, fetch: here.service.fetch },
    radio: here.tag.radio(script),
  });
  return { ...here, next, storage: new Database(databaseName) };
}

/** Another's bag, pending. */
const waits = ({ storage }: NextPage) =>
  storage.putEntry({
    ...{ id: "elsewhere", kind: "attach", uniqueDeviceId: "ebt-21-0002", baggageId: 4 },
    ...{ createdAt: Date.now(), tries: 0 },
  });

const attachments = ({ service }: NextPage) =>
  service.calls.filter(({ path }) => path.endsWith("device-attachments")).map(({ body }) => body);

describe("a tag that is held near after the page died at its commit", () => {
  test("says that it took it, and its statement over our challenge is reported", async () => {
    const page = await nextPage("after");
    const events: ProgressEvent[] = [];
    const onProgress = (event: ProgressEvent) => void events.push(event);
    const settled = await virtually(() => page.next.settleTag(page.request, { onProgress }));
    expect(valueIn(settled)).toEqual({
      outcome: "written",
      pendingRetry: false,
      device: expect.objectContaining({ uniqueDeviceId: "ebt-21-0001", generation: "2.1" }),
    });
    const [reported] = attachments(page);
    expect(reported).toMatchObject({ baggageId: 3, device: { uniqueID: "ebt-21-0001" } });
    const { statement } = decodeStatement(fromBase64Url(reported.tagStatement));
    expect(statement).toMatchObject({ commits: 1, challenge: expect.any(Uint8Array) });
    const phases = events.flatMap((event) => (event.type === "started" ? [event.phase] : []));
    expect(phases).toEqual(["connect", "secure", "attach"]);
    expect(page.tag.connections.map(({ open }) => open)).toEqual([false, false]);
    expect(await page.next.outbox.entries()).toEqual([]);
  });

  test("says that it took it, which waits where the service is out of reach", async () => {
    const page = await nextPage("after");
    page.service.next("device-attachments", unreachable, unreachable, unreachable);
    const settled = valueIn(await virtually(() => page.next.settleTag(page.request)));
    expect(settled).toMatchObject({ outcome: "written", pendingRetry: true });
    expect(await page.next.outbox.entries()).toMatchObject([{ kind: "attach", baggageId: 3 }]);
  });

  test("has nothing to say, and leaves what is pending for another tag", async () => {
    const page = await nextPage("before");
    valueIn(await virtually(() => page.next.settleTag(page.request)));
    await waits(page);
    const settled = valueIn(await virtually(() => page.next.settleTag(page.request)));
    expect(settled).toMatchObject({ outcome: "nothing_open", pendingRetry: false });
  });

  test("says that it did not: nothing waits for it, and the service is asked nothing", async () => {
    const page = await nextPage("before");
    await waits(page);
    const settled = valueIn(await virtually(() => page.next.settleTag(page.request)));
    expect(settled).toMatchObject({ outcome: "not_written", pendingRetry: false });
    expect(await page.next.outbox.entries()).toMatchObject([{ id: "elsewhere" }]);
    expect(attachments(page)).toEqual([]);
  });

  test("is asked before a clear, and before a transfer, which leaves it its bag", async () => {
    const cleared = await nextPage("after");
    const events: string[] = [];
    cleared.next.outbox.subscribe((event) => events.push(event.type));
    valueIn(await virtually(() => cleared.next.clearTag(cleared.request)));
    expect(events).toEqual(["settled", "added", "sent"]);
    const carried = await nextPage("after");
    const other = await virtually(() => carried.next.transferTag({ ...carried.request, baggageId: 4 }));
    expect(outcomeOf(other)).toBe("OtherBagError:tag_carries_other_bag");
    valueIn(await carried.next.outbox.flush());
    expect(attachments(carried)).toMatchObject([{ baggageId: 3, tagStatement: expect.any(String) }]);
  });
});

describe("a transfer after a page that died", () => {
  test("asks the service once more where the tag's statement has changed its answer", async () => {
    const page = await nextPage("after");
    const reported = withResolvers<void>();
    page.next.outbox.subscribe(({ type }) => {
      if (type === "settled") void page.next.outbox.flush();
      if (type === "sent") reported.resolve();
    });
    // Answered at once, and received when the service knows of the bag.
    const late: Interference = async (_call, answer) => {
      const answered = await answer();
      await reported.promise;
      return answered;
    };
    const afterwards: Interference = async (_call, answer) => {
      await reported.promise;
      return answer();
    };
    page.service.next("ebt-lookups", late, afterwards);
    const other = await virtually(() => page.next.transferTag({ ...page.request, baggageId: 4 }));
    expect(outcomeOf(other)).toBe("OtherBagError:tag_carries_other_bag");
  });

  test("is not held up by what the service has newer reports of", async () => {
    const page = await nextPage("after", {});
    const { journey } = page.service;
    const second = { baggageId: 4, licencePlate: "0220654322" };
    page.service.journey = { ...journey, baggage: [...journey.baggage, second] };
    const [asked] = await page.storage.entries();
    await page.storage.putEntry({ ...(asked as StoredEntry), unresolved: "stale", tagStatement: "AQ" });
    const other = await virtually(() => page.next.transferTag({ ...page.request, baggageId: 4 }));
    expect(outcomeOf(other)).toBe("ok");
  });
});

describe("a tag that answers the service's challenge with something else", () => {
  const nonce = new Uint8Array(16);
  const hello = { kind: "hello", nonce, ttl: 120, id: "ebt-21-0001", commits: 0, mark: null } as const;
  const elsewise: Script = {
    ...SIGNS,
    answer: (record, honest) => (record.kind === "challenge" ? [hello] : honest),
  };

  test.each(["transfer", "clear"] as const)("has said nothing: the lock stands at a %s", async (job) => {
    const here = await scriptedScene("2.1", [elsewise]);
    here.service.lockToStranger("ebt-21-0001");
    here.service.endsLock = () => true;
    const outcome = outcomeOf(await here[job]());
    expect(outcome).toBe(
      job === "transfer"
        ? "CustodyProofRequiredException:custody_proof_needed"
        : "ServiceError:custody_proof_required",
    );
    expect(here.tag.commits).toBe(0);
  });
});
