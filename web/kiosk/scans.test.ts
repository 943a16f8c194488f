import { createRoot } from "solid-js";
import { expect, test } from "vitest";
import type { Screen } from "./flow.ts";
import { contentOf, createScans } from "./scans.ts";
import type { Visit } from "./visit.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";

const PLATE = "0117123456";

/** What a code, a boarding pass unless another is named, that is scanned on `screen` sets off; `baggage`: of the open journey. */
async function scannedOn(
  screen: Screen,
  {
    isWriting = false,
    code = PASS,
    baggage,
  }: { isWriting?: boolean; code?: string; baggage?: unknown[] } = {},
) {
  const done: string[] = [];
  const visit = {
    findByPass: async () => "done",
    journey: () => baggage && { baggage },
    bag: () => baggage?.[0],
    choose: (id: number) => done.push(`bag ${id}`),
  } as unknown as Visit;
  const scans = createRoot(() =>
    createScans({
      screen: () => screen,
      send: (event) => done.push(event),
      visit,
      isWriting: () => isWriting,
      home: () => done.push("home"),
      begin: () => done.push("begin"),
    }),
  );
  scans.handle(code);
  await Promise.resolve();
  return { done, notice: scans.notice() };
}

test("a boarding pass that is scanned while a tag is written changes nothing, and is said to come too early", async () => {
  expect(await scannedOn("writing", { isWriting: true })).toEqual({ done: [], notice: "busy" });
});

test.each(["journey", "writing", "clearing", "releasing"] as const)(
  "a boarding pass that is scanned at %s is the next passenger's: of the one before nothing stays",
  async (screen) => {
    expect((await scannedOn(screen)).done).toEqual(["home", "scan", "found"]);
  },
);

test.each(["attract", "typing", "camera", "problem"] as const)(
  "a boarding pass that is scanned at %s begins a visit, or goes on with one",
  async (screen) => {
    expect((await scannedOn(screen)).done).toEqual(["begin", "scan", "found"]);
  },
);

test("the label of a bag without a tag begins its job; of one that is on a tag, it is only said", async () => {
  const bag = { baggageId: 7, licencePlate: PLATE };
  const without = await scannedOn("journey", { code: PLATE, baggage: [bag] });
  expect(without).toEqual({ done: ["bag 7", "put"], notice: undefined });
  const on = await scannedOn("journey", {
    code: PLATE,
    baggage: [{ ...bag, attachedDevice: "ebt-21-0001" }],
  });
  expect(on).toEqual({ done: ["journey"], notice: "onTag" });
  // On the screen that writes it once more, a scan of its label changes nothing.
  const here = await scannedOn("writing", {
    code: PLATE,
    baggage: [{ ...bag, attachedDevice: "ebt-21-0001" }],
  });
  expect(here).toEqual({ done: ["bag 7", "put"], notice: undefined });
});

test("a boarding pass is kept character by character", () => {
  expect(contentOf(PASS)).toEqual({ kind: "boardingPass", scanData: PASS });
});

test("the symbology a scanner puts before the data is not part of it", () => {
  expect(contentOf(`]Q1${PASS}`)).toEqual({ kind: "boardingPass", scanData: PASS });
  expect(contentOf("]I00117123456")).toEqual({ kind: "plate", licencePlate: "0117123456" });
});

test("ten digits are a licence plate", () => {
  expect(contentOf("0117123456\r\n")).toEqual({ kind: "plate", licencePlate: "0117123456" });
});

test.each(["", "5901234123457", "0000000000", "M1LOVELACE/ADA", "https://example.com/x?M1", "X".repeat(60)])(
  "%j is neither",
  (text) => expect(contentOf(text)).toEqual({ kind: "unknown" }),
);
