import { expect, test } from "vitest";
import { contentOf } from "./scans.ts";

const PASS = "M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100";

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
