import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type Endpoint, type EndpointName, type ErrorCode, endpoints, HEADER } from "../../core/api/index.ts";
import { clients } from "../../db/schema.ts";
import { leavesNoTrace } from "../test-support/database.ts";
import { staffSession, type TestSession } from "../test-support/logins.ts";
import { changeRow } from "../test-support/rows.ts";
import { expectError, KIOSK_KEY, startService, type TestService } from "../test-support/service.ts";

/** Rules §1: path, method, origin, content type, size, client key, access token, scope, body. The first fault decides. */

let service: TestService;
let session: TestSession;

beforeAll(async () => {
  service = await startService();
  session = await staffSession(service);
});

async function takeAllScopes(): Promise<void> {
  const [before] = await service.db.select().from(clients).where(eq(clients.id, "client-kiosk"));
  if (before === undefined) throw new Error("no kiosk client");
  onTestFinished(async () => void (await changeRow(service.db, clients, before.id, before)));
  await changeRow(service.db, clients, before.id, { scopes: [] });
}

interface Sent {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Fault {
  readonly code: ErrorCode;
  /** Whether `endpoint` looks at it at all. */
  readonly matters: (endpoint: Endpoint) => boolean;
  readonly spoil: (sent: Sent) => Sent | Promise<Sent>;
}

const header = (name: string, value: string) => (sent: Sent) => ({
  ...sent,
  headers: { ...sent.headers, [name]: value },
});
const always = () => true;
const readsBody = ({ looseBody }: Endpoint) => !looseBody;
const isBearer = ({ security }: Endpoint) => security === "bearer";

const FAULTS: readonly Fault[] = [
  { code: "not_found", matters: always, spoil: (sent) => ({ ...sent, path: "/v2/nothing" }) },
  { code: "method_not_allowed", matters: always, spoil: (sent) => ({ ...sent, method: "PUT" }) },
  { code: "unauthorized_client", matters: always, spoil: header("Origin", "https://evil.example") },
  { code: "unsupported_media_type", matters: readsBody, spoil: header("Content-Type", "text/plain") },
  {
    code: "payload_too_large",
    matters: readsBody,
    spoil: (sent) => ({ ...sent, body: "[".repeat(1_000_000) }),
  },
  {
    code: "unauthorized_client",
    matters: ({ security, withoutKey }) => security !== "none" || withoutKey !== undefined,
    spoil: header(HEADER.clientKey, "unknown"),
  },
  { code: "unauthorized_token", matters: isBearer, spoil: header("Authorization", "Bearer unknown") },
  {
    code: "insufficient_scope",
    matters: (endpoint) => isBearer(endpoint) && endpoint.scopes.length > 0,
    spoil: async (sent) => {
      await takeAllScopes();
      return sent;
    },
  },
  { code: "invalid_request", matters: readsBody, spoil: (sent) => ({ ...sent, body: "[" }) },
];

const names = Object.keys(endpoints) as EndpointName[];
const cases = names.flatMap((name) => {
  return FAULTS.flatMap(({ code, matters }, place) =>
    matters(endpoints[name]) ? [[name, code, place] as const] : [],
  );
});

describe("a request with this fault and every later one", () => {
  leavesNoTrace();

  it.each(cases)("to %s is refused as %s", async (name, code, place) => {
    let sent: Sent = {
      path: endpoints[name].path.replace("{journeyId}", "demo-journey-1"),
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        [HEADER.clientKey]: KIOSK_KEY,
        Authorization: `Bearer ${session.accessToken}`,
      },
      body: "{}",
    };
    // From the last fault back to this one: what an earlier fault spoils, it spoils for good.
    for (const { spoil } of FAULTS.slice(place).toReversed()) {
      sent = await spoil(sent);
    }
    const answer = await service.fetch(sent.path, sent);
    expectError(answer, code);
    expect(answer.headers.get("Allow")).toBe(code === "method_not_allowed" ? "POST" : null);
    expect(answer.headers.has("WWW-Authenticate")).toBe(
      ["unauthorized_token", "insufficient_scope"].includes(code),
    );
    expect(service.log.at(-1)).toMatchObject({ status: answer.status, rowsWritten: 0 });
  });
});

describe("a body is not parsed before its caller is known", () => {
  /** Whether the service parsed a body while `request` was answered; nothing else of a request has this text. */
  async function isParsed(name: EndpointName, headers: Readonly<Record<string, string>>): Promise<boolean> {
    const parse = vi.spyOn(JSON, "parse");
    try {
      const path = endpoints[name].path.replace("{journeyId}", "demo-journey-1");
      const type = { "Content-Type": "application/json" };
      const body = '{"mark":"of this body"}';
      const { status } = await service.fetch(path, {
        method: "POST",
        headers: { ...type, ...headers },
        body,
      });
      expect([200, 400, 401, 403]).toContain(status);
      return parse.mock.calls.some(([text]) => text === body);
    } finally {
      parse.mockRestore();
    }
  }
  const bearers = names.filter((name) => readsBody(endpoints[name]) && isBearer(endpoints[name]));
  const token = () => ({ Authorization: `Bearer ${session.accessToken}` });

  it.each(names.filter((name) => readsBody(endpoints[name])))("%s: without a client key", async (name) => {
    const { security, withoutKey } = endpoints[name] as Endpoint;
    const headers: Record<string, string> = security === "none" ? { [HEADER.clientKey]: "unknown" } : {};
    expect(await isParsed(name, headers)).toBe(security === "none" && withoutKey === undefined);
  });

  it.each(bearers)("%s: with a forged access token", async (name) => {
    const forged = { Authorization: `${token().Authorization.slice(0, -20)}AAAAAAAAAAAAAAAAAAAA` };
    expect(await isParsed(name, { [HEADER.clientKey]: KIOSK_KEY, ...forged })).toBe(false);
  });

  it.each(["journeysFromAirlinePayload", "baggageSourceMessages"] as const)(
    "%s: without its scope, but then it is",
    async (name) => {
      const headers = { [HEADER.clientKey]: KIOSK_KEY, ...token() };
      expect(await isParsed(name, headers)).toBe(true);
      await takeAllScopes();
      // Once more, for the same caller; its proof is then checked again, and refused.
      await isParsed(name, headers);
      expect(await isParsed(name, headers)).toBe(false);
    },
  );
});
