import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { HEADER } from "../../core/api/index.ts";
import { clients } from "../../db/schema.ts";
import { clientKeyHash } from "../secrets/sealed.ts";
import { dpopProof, newAppInstance } from "./app-instance.ts";
import { leaks as leaksOfThisFile, newLeakDetector, seeAnswer, watchConsole } from "./leaks.ts";
import { B2B_SECRET, startService } from "./service.ts";

/** After every file of this project its log lines and refusals are looked through; here, that this finds what it is for. */

const jwks = JSON.parse(String(env.ACCESS_TOKEN_KEYS)) as { keys: { d: string; x: string }[] };
const [accessKey] = jwks.keys;

it.each([
  ["a seeded surname", '{"reason":"no Lovelace here"}'],
  ["a seeded surname with a diacritic", '{"reason":"müller"}'],
  ["a seeded surname with an apostrophe", '{"name":"O\'Brien"}'],
  ["a seeded locator", '{"route":"/v2/journeys/ABC123"}'],
  ["a client key", "client demo-passenger-key"],
  ["a password of several words", "tried correct horse battery staple"],
  ["a shared secret", "X-B2B-Secret: demo-b2b-secret"],
  ["the pepper", `pepper=${env.PEPPER}`],
  ["the data key", `{"DATA_KEY":"${env.DATA_KEY}"}`],
  ["the private half of a signing key", `{"d":"${accessKey?.d}"}`],
])("finds %s", (_what, line) => {
  const leaks = newLeakDetector();
  leaks.see("log", line);
  expect(leaks.take()).toHaveLength(1);
});

it("finds tokens that were minted after the line was written, and parts of them", () => {
  const leaks = newLeakDetector();
  leaks.see("log", '{"reason":"cGF5bG9hZHBheWxvYWQ was refused"}');
  leaks.learnBody({ accessToken: "aGVhZGVyaGVhZGVy.cGF5bG9hZHBheWxvYWQ.c2lnbmF0dXJlc2ln" });
  expect(leaks.take()).toEqual(["log: a secret"]);
});

it("finds what requests carried: tokens, proofs, names, boarding passes and baggage messages", async () => {
  const leaks = newLeakDetector();
  const proof = await dpopProof(await newAppInstance(), { path: "/v2/auth/logout", now: Date.now() });
  leaks.learnHeaders(new Headers({ Authorization: "Bearer abcdefgh.ijklmnop.qrstuvwx", DPoP: proof }));
  leaks.learnBody({ surname: "Hopper", nested: { refreshToken: "refresh-token-0001" } });
  leaks.learnBody({ scanData: "M1NOETHER/EMMY        EXYZ98W OSLARNSK 1234 326Y012A0001 100" });
  leaks.learnBody({ message: "BSM\n.V/1LOSL\n.P/1CURIE/MARIE\n.L/QQ7RRT\nENDBSM" });
  const lines = ["qrstuvwx", proof, "HOPPER", "refresh-token-0001", "noether", "XYZ98W", "Curie", "QQ7RRT"];
  for (const line of lines) leaks.see("log", `{"reason":"${line}"}`);
  expect(leaks.take()).toHaveLength(lines.length);
});

it("leaves public halves, ids, codes and words within words alone", () => {
  const leaks = newLeakDetector();
  leaks.see("log", `{"kid":"${accessKey?.x}","requestId":"00112233445566778899aabbccddeeff"}`);
  leaks.see("log", '{"reason":"insufficient_scope","adapter":"ada1","cloveLACEs":"XABC1234"}');
  expect(leaks.take()).toEqual([]);
});

it("sees what is written to the console, which is written all the same", () => {
  const leaks = newLeakDetector();
  const written: unknown[] = [];
  const write = (line: unknown) => void written.push(line);
  const quiet = { debug: write, error: write, info: write, log: write, warn: write };
  watchConsole(leaks, quiet);
  for (const method of ["debug", "error", "info", "log", "warn"] as const) quiet[method](`no ${B2B_SECRET}`);
  expect(leaks.take()).toEqual(
    ["debug", "error", "info", "log", "warn"].map((method) => `console.${method}: a secret`),
  );
  expect(written).toHaveLength(5);
});

it("sees the log lines of every service", async () => {
  const service = await startService();
  const [client] = await service.db.select().from(clients).where(eq(clients.id, "client-kiosk"));
  if (client === undefined) throw new Error("no kiosk");
  const keyHash = await clientKeyHash("another-key");
  await service.db.insert(clients).values({ ...client, id: "lovelace", keyHash });
  const credentials = { username: "unknown", password: "wrong" };
  await service.call("b2bSession", credentials, { [HEADER.clientKey]: "another-key" });
  expect(service.log.at(-1)).toMatchObject({ client: "lovelace" });
  expect(leaksOfThisFile.take()).toEqual(["log: a name or locator"]);
});

it("reads the text of refusals", async () => {
  const leaks = newLeakDetector();
  seeAnswer("/v2/journeys", { status: 404, body: {}, text: '{"message":"no booking of Lovelace"}' }, leaks);
  seeAnswer("/v2/journeys", { status: 200, body: {}, text: '{"surname":"Lovelace"}' }, leaks);
  expect(leaks.take()).toEqual(["/v2/journeys (404): a name or locator"]);
});
