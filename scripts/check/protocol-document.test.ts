import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LABEL_FLAG, LABEL_LIMIT } from "../../core/bag/payload.ts";
import {
  DISPLAY,
  FRAME_TYPE,
  PROFILE,
  STATUS,
  type StatusName,
  TAG_LIMIT,
  TAG_STATE,
  TAG_TIMER,
  type TagState,
} from "../../core/gatt/profile.ts";
import { EKU_CLIENT, EKU_TAG, LEAF_USAGES } from "../../core/pki/profiles.ts";
import { type FailureName, SecError } from "../../core/sec/errors.ts";
import { RECORD_KIND } from "../../core/sec/records.ts";
import { TOKEN_LIMIT } from "../../core/sec/token.ts";
import vector from "../../core/vectors/protocol-example.json" with { type: "json" };
import { exampleOf } from "../../kit/vectors/protocol-example/example.ts";
import { verifyFile } from "../../kit/vectors/sec-verify.ts";
import { type Departure, departureOf, TagRefusal } from "../../sim/tag/refusal.ts";
import { isListed, nextState, TAG_INPUTS } from "../../sim/tag/state-table.ts";
import { STATE_TABLE, tablesOf, tableWith } from "../documents/read-markdown.ts";
import { projectText } from "../project-files.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";

const SUCCESSES: readonly StatusName[] = ["OK", "AUTHORIZED", "COMMITTED", "BUSY_DISPLAY"];

function words({ clear, record }: Departure): string {
  if (record !== undefined) return "record";
  if (clear === undefined) return "";
  return clear.type === "ALERT" ? "alert" : `error ${clear.message[0]}`;
}

/** What a virtual tag sends after a failure, before it has keys and with them, in the words of docs/protocol.md. */
function outletsOf(name: FailureName): readonly string[] {
  const refusal = new TagRefusal(new SecError(name, name === "SUITE" ? { suitesR: [6, 3] } : {}));
  return (["secBeforeKeys", "secWithKeys"] as const).map((where) => words(departureOf(refusal, where)));
}

const DOCUMENT = projectText("docs/protocol.md");
const tables = tablesOf(DOCUMENT);
const columns = (header: readonly string[], ...picked: number[]) =>
  tableWith(tables, ...header).rows.map((row) => picked.map((column) => row[column]));
/** The lines of a chapter's block that begin with a name and its number. */
const linesOf = (chapter: string) => {
  const [, block = ""] =
    new RegExp(`^#+ ${chapter}\\n[\\s\\S]*?^\`\`\`text\\n([^\`]*)`, "m").exec(DOCUMENT) ?? [];
  return [...block.matchAll(/^(\S.*?) {2,}(\d+)\b/gm)].map(([, name, number]) => [name, number]);
};
const numbered = (table: Readonly<Record<string, number>>) =>
  Object.entries(table).map(([name, number]) => [String(number), name]);

describe("docs/protocol.md", () => {
  it("names the service and every characteristic with its UUID and properties", () => {
    expect(DOCUMENT).toContain(`Service \`${PROFILE.service}\``);
    const rows = Object.entries(PROFILE.characteristics).map(
      ([name, { uuid, read, write, notify, ...more }]) => {
        const command = "command" in more && "write without response";
        const properties = [read && "read", write && "write", command, notify && "notify"]
          .filter(Boolean)
          .join(", ");
        return [name, uuid, properties];
      },
    );
    expect(columns(["name", "UUID", "properties", "value"], 0, 1, 2)).toEqual(rows);
    for (const { service, characteristics } of [PROFILE.battery, PROFILE.deviceInformation]) {
      for (const uuid of [service, ...Object.values(characteristics).map((row) => row.uuid)])
        expect(DOCUMENT).toContain(`\`0x${uuid.slice(4, 8).toUpperCase()}\``);
    }
  });

  it("has the frame types", () => {
    const [, types = ""] = /^type( [\s\S]*?)^```/m.exec(DOCUMENT) ?? [];
    const shown = [...types.matchAll(/(?<=^ +|, )(\d+) ([A-Z_]+)/gm)].map(([, type, name]) => [type, name]);
    expect(shown).toEqual(numbered(FRAME_TYPE));
  });

  it("has the states of the display", () => {
    const text = Object.entries(DISPLAY).map(([name, number]) => `${number} ${name}`);
    expect(DOCUMENT).toContain(`display: ${text.join(", ")}`);
  });

  it("has the kinds of records, in their directions", () => {
    const rows = Object.entries(RECORD_KIND).map(([name, kind]) => [
      kind < 16 ? "app-i2r" : "app-r2i",
      String(kind),
      name,
    ]);
    const kinds = ["app-i2r", "app-r2i"].flatMap((direction) => {
      const [, rule = ""] = new RegExp(`^${direction} = ([\\s\\S]*?)(?:^app|^\`)`, "m").exec(DOCUMENT) ?? [];
      return [...rule.matchAll(/^ *(?:\/ )?\[(\d+)[,\]].*; (\w+)/gm)].map(([, kind, name]) => [
        direction,
        kind,
        name,
      ]);
    });
    expect(kinds).toEqual(rows);
    expect(DOCUMENT).toContain(`Kind ${RECORD_KIND.data} comes only on DATA, all others only on SEC.`);
  });

  it("has the states of the tag", () => {
    const chapter = DOCUMENT.split("\n## States of the tag\n")[1]?.split("\n|")[0] ?? "";
    const states = [...chapter.matchAll(/(\d) ([A-Z_\d]+):/g)].map(([, number, state]) => [number, state]);
    expect(states).toEqual(numbered(TAG_STATE));
  });

  it("has every transition of the tag and no other", () => {
    const rows = columns(STATE_TABLE, 0, 1, 2);
    const find = (state: string, event: string) => rows.find(([a, b]) => a === state && b === event)?.[2];
    for (const state of Object.keys(TAG_STATE) as TagState[]) {
      for (const input of TAG_INPUTS) {
        const written = find(state, input) ?? find(state, "any other");
        expect([state, input, written ?? "IDLE"]).toEqual([state, input, nextState(state, input)]);
        expect([state, input, written !== undefined]).toEqual([state, input, isListed(state, input)]);
      }
    }
  });

  it("has the timers", () => {
    const rows = Object.entries(TAG_TIMER).map(([name, length]) => [name, String(length)]);
    expect(linesOf("Timers")).toEqual(rows);
  });

  it("has the limits", () => {
    const rows = Object.entries(TAG_LIMIT).map(([name, value]) => [name, String(value)]);
    expect(linesOf("Limits")).toEqual(rows);
    expect(DOCUMENT).toContain(`at most ${TOKEN_LIMIT.bytes.toLocaleString("en")} bytes`);
  });

  it("has every code, and who may see it as the virtual tags do it", () => {
    const rows = columns(["before keys", "with keys", "codes"], 0, 1, 2).flatMap(
      ([before, withKeys, codes = ""]) =>
        // What a code is on one characteristic alone stands behind a semicolon.
        (codes.split(";")[0] ?? "")
          .split(", ")
          .map((code) => ({ code: code.split(" "), outlet: [before, withKeys] })),
    );
    const written = rows.map(({ code }) => code).sort(([a], [b]) => Number(a) - Number(b));
    expect(written).toEqual(numbered(STATUS));
    const outlets = new Map(rows.map(({ code, outlet }) => [code[1], outlet]));
    for (const name of Object.keys(STATUS) as StatusName[])
      if (!SUCCESSES.includes(name))
        expect([name, outlets.get(name)]).toEqual([name, outletsOf(name as FailureName)]);
    expect(DOCUMENT).toContain(`STATUS shows only ${STATUS.OK} to ${STATUS.STATE} and ${STATUS.LOCKOUT}`);
  });

  it("has the usages of both roles", () => {
    expect(DOCUMENT).toContain(
      LEAF_USAGES[EKU_CLIENT].map((oid, i) => (i === 0 ? `clientAuth (${oid})` : oid)).join(" and "),
    );
    expect(DOCUMENT).toContain(`Extended key usage: ${EKU_TAG},`);
  });

  it("has the limits of a payload", () => {
    const [, rule = ""] = /^write = ([\s\S]*?)^clear/m.exec(DOCUMENT) ?? [];
    const limits = Object.fromEntries(
      [...rule.matchAll(/^ *(?:\? )?(\w+)(?::| =) .*; (\d+):/gm)].map(([, key, limit]) => [key, limit]),
    );
    const { name, recordLocator, travelClass, segments, flight, destinationCity, readable } = LABEL_LIMIT;
    const { EU_GREEN_EDGE, PRIORITY } = LABEL_FLAG;
    const expected = {
      1: 10,
      2: name,
      3: recordLocator,
      4: travelClass,
      5: 3,
      6: segments,
      flight,
      7: destinationCity,
      8: readable,
      9: EU_GREEN_EDGE | PRIORITY,
    };
    expect(limits).toEqual(
      Object.fromEntries(Object.entries(expected).map(([key, value]) => [key, String(value)])),
    );
  });
});

describe("the worked example", () => {
  it("is what the code computes from its keys", async () => {
    const example = await exampleOf(vector.inputs);
    expect(vector.steps).toEqual(example.steps);
    expect(vector.transcript).toEqual(example.transcript);
  });

  it("has the sizes that the document states", () => {
    const sizeOf = (name: string) =>
      String((vector.steps.find((step) => step.name === name)?.value.length ?? 0) / 2);
    const names = ["message_1", "message_2", "message_3", "message_4"];
    expect(linesOf("Sizes")).toEqual([
      ...names.map((name) => [name, sizeOf(name)]),
      ["transaction token with every claim", sizeOf("token")],
      ["payload, two flights", sizeOf("payload")],
    ]);
  });

  const folder = temporaryFolder();

  it("is a transcript that sec:verify accepts", async () => {
    const { transcript } = vector;
    const lines: string[] = [];
    writeFileSync(join(folder, "example.json"), JSON.stringify(transcript));
    expect(await verifyFile(join(folder, "example.json"), (line) => lines.push(line))).toBe(0);
    expect(lines).toEqual(["example: ok", "1 transcripts verified"]);
  });
});
