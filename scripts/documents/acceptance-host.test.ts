import { afterAll, beforeAll, expect, it } from "vitest";
import {
  BAG_REFUSALS,
  BagAcceptanceAnswer,
  BagAcceptanceMessage,
  BookingRequestAnswer,
  BookingRequestMessage,
  parseAnswer,
} from "../../core/api/index.ts";
import { HOST_EXAMPLES } from "../../core/api/openapi/document.ts";
import { signedHeaders } from "../../worker/webhooks/message.ts";
import { projectText } from "../project-files.ts";
import { type Program, start } from "../run.ts";
import { codeBlocks } from "./read-markdown.ts";

/** docs/acceptance.md and its example against the contract; nightly the example is asked by the service itself. */

const PAGE = "docs/acceptance.md";
const SECRET = `whsec_${"A".repeat(43)}=`;

let host: Program;
let address: string;
beforeAll(async () => {
  const env = { ...process.env, ACCEPTANCE_SECRET: SECRET };
  host = start(process.execPath, ["examples/acceptance/host.mjs", "0"], { env });
  address = `http://localhost:${(await host.prints(/listening at (\d+)/))[1]}/`;
});
afterAll(() => host.stop());

async function ask(message: object, { secret = SECRET, at = Date.now() } = {}): Promise<Response> {
  const posted = { id: "msg_1", body: JSON.stringify(message) };
  const headers = await signedHeaders([secret], posted, at);
  return fetch(address, { method: "POST", headers, body: posted.body });
}
const bag = (number: number) => ({
  ...HOST_EXAMPLES.BagAcceptance.message,
  data: { ...HOST_EXAMPLES.BagAcceptance.message.data, bag: { number } },
});
const answerTo = async (message: object) => {
  const schema =
    "bag" in Object((message as { data: object }).data) ? BagAcceptanceAnswer : BookingRequestAnswer;
  const json = await (await ask(message)).json();
  expect(parseAnswer<typeof schema>(schema, json)).toEqual({ ok: true, value: json });
  return json;
};

it("the example gives the same bag the same plate, and others others", async () => {
  const first = await answerTo(bag(2));
  expect(first).toMatchObject({ result: "accepted", licencePlate: "0117500000" });
  expect(await answerTo(bag(2))).toEqual(first);
  expect(await answerTo(bag(3))).toMatchObject({ licencePlate: "0117500001" });
  expect(await answerTo(bag(4))).toMatchObject({ result: "refused", reason: "allowance" });
});

it("the example finds its booking by locator and name alone", async () => {
  const { message } = HOST_EXAMPLES.BookingRequest;
  const wanted = (surname: string) => ({
    ...message,
    data: { ...message.data, recordLocator: "HOST01", surname },
  });
  expect(await answerTo(wanted("hopper"))).toMatchObject({
    booking: { airline: "SK", recordLocator: "HOST01" },
  });
  expect(await answerTo(wanted("byron"))).toEqual({ result: "not_found" });
});

it("the example refuses another's signature, and an old one", async () => {
  expect((await ask(bag(2), { secret: `whsec_${"B".repeat(40)}AAA=` })).status).toBe(401);
  expect((await ask(bag(2), { at: Date.now() - 301_000 })).status).toBe(401);
});

it("the page shows what the contract has", () => {
  const page = projectText(PAGE);
  for (const reason of BAG_REFUSALS) expect(page).toContain(`\n| \`${reason}\` |`);
  const [asked, accepted, refused, sought] = codeBlocks(PAGE, "json").map((block) => JSON.parse(block));
  expect(asked).toEqual(HOST_EXAMPLES.BagAcceptance.message);
  const shown = [
    [BagAcceptanceMessage, asked],
    [BagAcceptanceAnswer, accepted],
    [BagAcceptanceAnswer, refused],
    [BookingRequestMessage, sought],
  ] as const;
  for (const [schema, value] of shown)
    expect(parseAnswer<typeof schema>(schema, value)).toEqual({ ok: true, value });
  const { message, answer } = HOST_EXAMPLES.BookingRequest;
  expect(parseAnswer(BookingRequestMessage, message)).toEqual({ ok: true, value: message });
  expect(parseAnswer(BookingRequestAnswer, answer)).toEqual({ ok: true, value: answer });
});
