import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { dpopProof, newAppInstance } from "./app-instance.ts";
import { learnBody, learnRequest, see, seeAnswer, takeLeaks } from "./leaks.ts";
import { B2B_SECRET, startService } from "./service.ts";

/** After every file of this project its log lines and refusals are looked through; here, that this finds what it is for. */

const [accessKey] = (JSON.parse(String(env.ACCESS_TOKEN_KEYS)) as { keys: { d: string; x: string }[] }).keys;

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
  see("log", line);
  expect(takeLeaks()).toHaveLength(1);
});

it("finds what requests carried and answers gave, also where the line was written before: tokens, proofs, names", async () => {
  const proof = await dpopProof(await newAppInstance(), { path: "/v2/auth/logout", now: Date.now() });
  const lines = ["qrstuvwx", proof, "HOPPER", "cGF5bG9hZHBheWxvYWQ", "noether", "XYZ98W", "Curie", "QQ7RRT"];
  for (const line of lines) see("log", `{"reason":"${line} was refused"}`);
  learnRequest({ headers: { Authorization: "Bearer abcdefgh.ijklmnop.qrstuvwx", DPoP: proof } });
  learnBody({ surname: "Hopper", nested: { refreshToken: "aGVhZGVyaGVhZGVy.cGF5bG9hZHBheWxvYWQ.c2ln" } });
  learnBody({ scanData: "M1NOETHER/EMMY        EXYZ98W OSLARNSK 1234 326Y012A0001 100" });
  learnBody({ message: "BSM\n.V/1LOSL\n.P/1CURIE/MARIE\n.L/QQ7RRT\nENDBSM" });
  expect(takeLeaks()).toHaveLength(lines.length);
});

it("leaves public halves, ids, codes and words within words alone", () => {
  see("log", `{"kid":"${accessKey?.x}","requestId":"00112233445566778899aabbccddeeff"}`);
  see("log", '{"reason":"insufficient_scope","adapter":"ada1","cloveLACEs":"XABC1234"}');
  expect(takeLeaks()).toEqual([]);
});

it("sees what is written to the console", () => {
  const methods = ["debug", "error", "info", "log", "warn"] as const;
  for (const method of methods) console[method](`no ${B2B_SECRET}`);
  expect([...new Set(takeLeaks())]).toEqual(methods.map((method) => `console.${method}: a secret`));
});

it("sees the log lines of every service", async () => {
  const service = await startService();
  learnBody({ surname: "lookups" });
  await service.call("ebtLookup");
  expect(takeLeaks()).toEqual(["log: a name or locator"]);
});

it("reads the text of refusals", () => {
  seeAnswer("/v2/journeys", { status: 404, body: {}, text: '{"message":"no booking of Lovelace"}' });
  seeAnswer("/v2/journeys", { status: 200, body: {}, text: '{"surname":"Lovelace"}' });
  expect(takeLeaks()).toEqual(["/v2/journeys (404): a name or locator"]);
});
