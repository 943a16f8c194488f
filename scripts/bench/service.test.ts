import { expect, test } from "vitest";
import { FULL } from "../../core/full.test-support.ts";
import { tablesOf, tableWith } from "../documents/read-markdown.ts";
import { projectText } from "../project-files.ts";
import { endSessions, type Send, travel } from "./passenger.ts";
import { toAll, withSides } from "./sides.ts";

/**
 * If the SDK sends other requests: `npm run bench -- service`, and renew the figures of docs/measures.md. In a full run the
 * bench's floor gets them too, and must answer each with the service's status.
 */
test("a journey sends as many requests as docs/measures.md counts, and the service logs each", () =>
  withSides(FULL ? ["service", "floor"] : ["service"], async (sides) => {
    const [{ server, took, lines }] = sides;
    const between = async () => {
      for (const side of sides) await endSessions(side.server);
    };
    const toSides = toAll(sides);
    const headers = new Set<string>();
    const send: Send = (url, request) => {
      for (const name of Object.keys(request.headers ?? {})) headers.add(name);
      return toSides(url, request);
    };
    const counted = async (generation: "2.1" | "2.0", isTakenOver: boolean) => {
      took.length = 0;
      await travel(server, { generation, isTakenOver, send, between });
      const configurations = took.filter(({ name }) => name.endsWith("ebt-configuration"));
      return `${took.length}, ${configurations.length}`;
    };
    const counts = [await counted("2.1", false), await counted("2.0", true)];
    const tables = tablesOf(projectText("docs/measures.md"));
    const { rows } = tableWith(tables, "of one journey", "v2.1", "v2.0, taken over");
    expect(rows).toContainEqual(["requests, of them for the configuration", ...counts]);
    const sent = "Authorization Content-Type DPoP Idempotency-Key X-Database-Bookmark X-Source-App-Key";
    expect([...headers].sort().join(" ")).toBe(sent);
    const isLogged = (id: string) => lines.some(({ requestId }) => requestId === id);
    await expect.poll(() => took.every(({ requestId }) => isLogged(requestId))).toBe(true);
  }));
