import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../full.test-support.ts";
import vectors from "../vectors/bsm.json" with { type: "json" };
import publishedVectors from "../vectors/bsm-published.json" with { type: "json" };
import { type BaggageMessage, type BsmLoading, parseBsms } from "./bsm.ts";
import { anyTime, messageAt } from "./bsm-grammar.test-support.ts";
import { bsmText, type SentMessage } from "./bsm-text.ts";
import { FormatError } from "./errors.ts";

const NOW = Date.parse(vectors.now);

/** The message of a text that holds one. */
function read(text: string, now = NOW): BaggageMessage {
  const [result, ...others] = parseBsms(text, now);
  if (result?.ok !== true || others.length > 0) throw new Error("one message was meant");
  return result.message;
}

const sent = ({ line, ignored, ...message }: BaggageMessage): SentMessage => message;
/** The elements of a text, without what the example's `unsent` names: a field that is not stored, another frame. */
function elementsOf(text: string, unsent: Readonly<Record<string, string>> = {}): readonly string[] {
  const framed = "BTM" in unsent ? text.replaceAll("BTM", "BSM") : text;
  const lines = framed.trimEnd().split("\n");
  return lines.map((line) => (".V" in unsent ? line.replace(/^(\.V\/[^/]+).*/, "$1") : line)).toSorted();
}

interface Published {
  readonly name: string;
  readonly source: string;
  readonly text: string;
  readonly unsent?: Readonly<Record<string, string>>;
}

describe("a message written again after it was read", () => {
  const published: readonly Published[] = publishedVectors.messages;
  it.each(published)("has each element of the published example of $name ($source)", ({ text, unsent }) => {
    const now = Date.parse(publishedVectors.now);
    expect(elementsOf(bsmText(sent(read(text, now)), now))).toEqual(elementsOf(text, unsent));
  });

  const readable = vectors.accepted.flatMap(({ name, messages }) =>
    messages.map((message) => ({ name, message: message as BaggageMessage })),
  );
  it.each(readable)("means the same: $name", ({ message }) => {
    expect(sent(read(bsmText(sent(message), NOW)))).toEqual(sent(message));
  });

  it("means the same, whatever the grammar allows, and is written the same", () => {
    const anyMessage = anyTime.chain((now) => messageAt(now).map(({ meant }) => ({ now, meant })));
    fc.assert(
      fc.property(anyMessage, ({ now, meant: { ignored, ...message } }) => {
        // Of namesakes behind a plate, the reader keeps one.
        fc.pre(!message.companions?.some((name) => isNamed(name, message.passenger)));
        const text = bsmText(message, now);
        expect(sent(read(text, now))).toEqual(message);
        expect(bsmText(sent(read(text, now)), now)).toBe(text);
      }),
      CASES,
    );
  });

  it("gives each of several passengers their plates, and each plate its .S and .W, in the order of all", () => {
    const bag = fc.record({ owner: fc.nat(3), lines: fc.subarray(["S/Y/08A/C/034", "W/P/1"]) });
    fc.assert(
      fc.property(fc.array(bag, { minLength: 2, maxLength: 9 }), (made) => {
        const owners = made.map(({ owner }) => owner);
        const plates = owners.map((_, i) => `0117${String(123_000 + i).padStart(6, "0")}`);
        const names = [...new Set(owners)].map((owner) => ({
          surname: "ADA",
          givenName: "ABCD"[owner] ?? "",
        }));
        const shares = names.map((passenger) => ({
          passenger,
          plates: plates.filter((_, i) => "ABCD"[owners[i] ?? 0] === passenger.givenName),
        }));
        const [passenger, ...others] = names;
        const companions = [
          ...others,
          { surname: "ADA", givenName: "EVE" },
          { surname: "ADA", givenName: "" },
        ];
        const { loading: _, ...sample } = SAMPLE;
        const message: SentMessage = {
          ...{ ...sample, plates, companions },
          ...(passenger && { passenger }),
          ...(shares.length > 1 && { shares }),
          ...loadingOf(made.map(({ lines }, i) => ({ plates: [plates[i] ?? ""], lines }))),
        };
        expect(sent(read(bsmText(message, NOW)))).toEqual(message);
      }),
      CASES,
    );
  });
});

/** Without plates that have neither. */
function loadingOf(all: readonly BsmLoading[]) {
  const loading = all.filter(({ lines }) => lines.length > 0);
  return loading.length > 0 && { loading };
}
const CASES = cases(60);
const SAMPLE = sent(read(vectors.accepted[0]?.text ?? ""));
const isNamed = (a: { surname: string; givenName: string }, b: typeof a | undefined) =>
  a.surname === b?.surname && a.givenName === b.givenName;

describe("a message that would be read as another", () => {
  it.each<[string, Partial<SentMessage>]>([
    ["a name beyond A to Z", { passenger: { surname: "MÜLLER", givenName: "ADA" } }],
    ["a name in small letters", { passenger: { surname: "Lovelace", givenName: "ADA" } }],
    ["a name with an element in it", { passenger: { surname: "LOVELACE", givenName: "ADA\n.E/RUSH" } }],
    ["a name with the end in it", { passenger: { surname: "LOVELACE", givenName: `ADA\nENDBSM\nBSM` } }],
    ["a name with a stroke in it", { passenger: { surname: "LOVELACE/KING", givenName: "ADA" } }],
    ["a name that begins with a count", { passenger: { surname: "2LOVELACE", givenName: "ADA" } }],
    ["a locator with its airline", { recordLocator: "ABC123/SK" }],
    ["an exception of two lines", { exceptions: ["PRIO\n.E/RUSH"] }],
    ["a line of its own in .S", { loading: [{ plates: SAMPLE.plates, lines: ["S/Y\n.E/RUSH"] }] }],
    ["another element for .S", { loading: [{ plates: SAMPLE.plates, lines: ["E/RUSH"] }] }],
    ["a flight of another year", { flight: { ...SAMPLE.flight, date: "2027-05-03" } }],
    ["the plate of no bag", { plates: ["0000000000"] }],
    ["no plate", { plates: [] }],
  ])("is refused for %s, without repeating it", (_, wrong) => {
    const write = () => bsmText({ ...SAMPLE, ...wrong }, NOW);
    expect(write).toThrow(FormatError);
    expect(write).not.toThrow(/LOVELACE|Lovelace|MÜLLER|ADA|ABC123/);
  });
});
