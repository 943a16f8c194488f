import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { LabelPayload } from "../../../core/bag/payload.ts";
import type { TagSnapshot } from "../../../sim/tag/tag-types.ts";
import { interleaved2of5, labelPage, servePage, terminalLabel } from "./label.ts";

const LABEL: LabelPayload = {
  kind: "write",
  licencePlate: "0117123456",
  name: "LOVELACE/ADA",
  from: "OSL",
  segments: [
    { flight: "SK1234", day: "23NOV", airport: "CPH" },
    { flight: "SK0909", day: "23NOV", airport: "HEL" },
  ],
  readable: "SK 123456",
};

const SNAPSHOT: TagSnapshot = {
  name: "EBT-0001",
  id: "ebt-21-0001",
  generation: "2.1",
  state: "IDLE",
  connected: false,
  battery: 87,
  versionMin: "2.1",
  status: "OK",
  display: { state: "LABEL", content: LABEL },
  commits: 1,
  lastDigest: null,
  mark: null,
  tokenMisses: 0,
  lockoutLeft: 0,
};

test("wide and narrow bars are those of ISO/IEC 16390, between start and stop", () => {
  expect(interleaved2of5("42")).toBe(`1010${"101000111010111000"}11101`);
});

test.each(["", "123", "12a4"])("%j has no bars", (text) => {
  expect(interleaved2of5(text)).toBe("");
});

test("the terminal shows the label in a frame of even lines", () => {
  const text = terminalLabel(LABEL);
  for (const part of ["LOVELACE/ADA", "FROM OSL", "H E L", "SK0909", "CPH", "0117123456", "SK 123456", "█"])
    expect(text).toContain(part);
  expect(new Set(text.split("\n").map((line) => [...line].length)).size).toBe(1);
  expect(terminalLabel(null)).toContain("blank");
});

describe("the label's page", () => {
  test("shows the label, and takes nothing in it for HTML", () => {
    const name = "<IMG SRC=X>&";
    const page = labelPage({ ...SNAPSHOT, display: { state: "LABEL", content: { ...LABEL, name } } });
    expect(page).toContain("0117123456");
    expect(page).toContain("&lt;IMG SRC=X&gt;&amp;");
    expect(page).not.toContain("<IMG");
  });

  test("leaves a scanner ten modules of white between the green edges and the bars", () => {
    const page = labelPage({ ...SNAPSHOT, display: { state: "LABEL", content: { ...LABEL, flags: 1 } } });
    const [, begin, unit] = (/translate\(([\d.]+) 255\) scale\(([\d.]+) 60\)/.exec(page) ?? []).map(Number);
    const end = (begin ?? 0) + interleaved2of5("0117123456").length * (unit ?? 0);
    const white = [(begin ?? 0) - 16, 640 - 16 - end].map((width) => width / (unit ?? 1));
    for (const modules of white) expect(modules).toBeGreaterThan(9.99);
  });

  test("answers on this machine's own names alone: it holds a passenger's", async () => {
    const server = await servePage(() => SNAPSHOT, 0);
    const { port } = new URL(server.url);
    const status = (host: string, path = "/", method = "GET") =>
      new Promise<number | undefined>((resolve) => {
        const asked = request({ host: "127.0.0.1", port, path, method, headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.end();
      });
    expect(await status(`127.0.0.1:${port}`)).toBe(200);
    expect(await status(`localhost:${port}`)).toBe(200);
    expect(await status(`evil.example:${port}`)).toBe(404);
    expect(await status(`127.0.0.1:${port}`, "/other")).toBe(404);
    expect(await status(`127.0.0.1:${port}`, "/", "POST")).toBe(404);
    expect(server.address()).toMatchObject({ address: "127.0.0.1" });
    server.close();
  });
});
