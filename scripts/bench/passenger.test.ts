import { afterAll, beforeAll, expect, test } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { type Server, startServer } from "../serve/server.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { endSessions, PRODUCTION, type Send, travel } from "./passenger.ts";

/** docs/measures.md counts these requests: if the SDK sends others, run `npm run bench -- service` and renew its figures. */
const CLIENT = "Content-Type DPoP X-Source-App-Key";
const SESSION = `Authorization ${CLIENT}`;
const LOOKUP = "Authorization Content-Type DPoP X-Database-Bookmark X-Source-App-Key";
const KEYED = "Authorization Content-Type DPoP Idempotency-Key X-Source-App-Key";

const CONFIGURATION = "GET /.well-known/ebt-configuration |  | ";
const LOGIN = [
  `POST /v2/auth/nonces | ${CLIENT} | `,
  `POST /v2/auth/guest/sessions | ${CLIENT} | attestationObject nonce`,
];
const TOKEN = "gattVersion nonce operation payloadDigest";
const written = ([token, report]: readonly [string, string]) => [
  CONFIGURATION,
  ...LOGIN,
  `POST /v2/journeys/from-record-locator | ${SESSION} | recordLocator surname`,
  `POST /v2/auth/device-client-certificates | ${SESSION} | `,
  `POST /v2/ebt-lookups | ${LOOKUP} | forBaggageId uniqueDeviceId`,
  `POST /v2/ebt-authorizations | ${SESSION} | ${token}`,
  `POST /v2/device-attachments | ${KEYED} | ${report}`,
];
const cleared = ([token, report]: readonly [string, string]) => [
  CONFIGURATION,
  ...LOGIN,
  `POST /v2/journeys | ${SESSION} | `,
  `POST /v2/ebt-authorizations | ${SESSION} | ${token}`,
  `POST /v2/ebt-unlocks | ${KEYED} | ${report}`,
];

const stateDir = temporaryFolder();
const logged: string[] = [];
let server: Server;
beforeAll(async () => {
  const log = (text: string) => void logged.push(JSON.parse(text).requestId);
  server = await startServer({ port: 0, stateDir, vars: PRODUCTION, log });
});
afterAll(() => server.stop());

interface Sent {
  /** Method and path, headers, members of the body. */
  readonly text: string;
  readonly status: number;
  readonly requestId: string;
}

const membersOf = (body: object): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    typeof value === "object" ? membersOf(value).map((inner) => `${name}.${inner}`) : [name],
  );

/** Sends, and adds each request to `sent`. */
const recorder =
  (sent: Sent[]): Send =>
  async (url, request) => {
    const { method = "GET", headers = {}, body } = request;
    const answer = await fetch(url, request);
    const members = membersOf(JSON.parse(String(body ?? "{}"))).sort();
    const names = Object.keys(headers).sort();
    const text = [`${method} ${new URL(url).pathname}`, names.join(" "), members.join(" ")].join(" | ");
    sent.push({ text, status: answer.status, requestId: answer.headers.get(HEADER.requestId) ?? "" });
    return answer;
  };
const textOf = ({ text }: Sent) => text;

test.each([
  {
    generation: "2.1",
    write: [
      `baggageId channelBinding forBaggageId ${TOKEN} tagCertificate uniqueDeviceId`,
      "baggageId cti device.batteryPercentage device.uniqueID tagCertificate tagStatement",
    ],
    clear: [
      `channelBinding ${TOKEN} tagCertificate uniqueDeviceId`,
      "cti tagCertificate tagStatement uniqueDeviceId",
    ],
  },
  {
    generation: "2.0",
    write: [
      `baggageId forBaggageId ${TOKEN} uniqueDeviceId`,
      "baggageId cti device.batteryPercentage device.uniqueID",
    ],
    clear: [`${TOKEN} uniqueDeviceId`, "cti uniqueDeviceId"],
  },
] as const)(
  "a journey with a v$generation tag sends these requests, and no other",
  async ({ generation, write, clear }) => {
    const sent: Sent[] = [];
    let visited = 0;
    const between = async () => {
      visited = sent.length;
      await endSessions(server);
    };
    logged.length = 0;
    await travel(server, { generation, send: recorder(sent), between });
    // What the SDK sends at the same time comes in any order.
    expect(sent.slice(0, visited).map(textOf).sort()).toEqual(written(write).sort());
    expect(sent.slice(visited).map(textOf)).toEqual(cleared(clear));
    expect(sent.filter(({ status }) => status !== 200).map(textOf)).toEqual([]);
    await expect.poll(() => sent.every(({ requestId }) => logged.includes(requestId))).toBe(true);
  },
);
