import { expect } from "vitest";
import {
  BagAcceptanceMessage,
  BookingRequestMessage,
  type HostMessage,
  parseAnswer,
} from "../../core/api/index.ts";
import { type AcceptanceFallback, acceptanceHosts } from "../../db/schema.ts";
import { seal } from "../secrets/sealed.ts";
import type { TestService } from "./service.ts";
import { isSigned, SECRET } from "./webhooks.ts";

/** Airlines' own hosts, in the test file: what they were asked, and what they answer. */

/** One question as it arrived. */
export interface Question {
  readonly url: string;
  readonly headers: Headers;
  readonly message: HostMessage;
  readonly signal: AbortSignal;
}
/** An object is an answer of JSON. */
type Answering = (question: Question) => object | Promise<object>;

/** Never answers: the service gives up. */
export const silent: Answering = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

export class AirlineHosts {
  asked: Question[] = [];
  answer: Answering = () => ({ result: "accepted" });

  readonly fetcher = async (to: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    expect([init.method, init.redirect]).toEqual(["POST", "manual"]);
    const headers = new Headers(init.headers);
    const body = String(init.body);
    expect(await isSigned(headers, body)).toBe(true);
    const question = {
      ...{ url: String(to), headers, message: messageIn(body) },
      signal: init.signal as AbortSignal,
    };
    this.asked.push(question);
    const answer = await this.answer(question);
    return answer instanceof Response ? answer : Response.json(answer);
  };

  /** What the questions were about. */
  data = () => this.asked.map(({ message }) => message.data);
}

/** Gives `airline` a host. */
export async function setHost(
  { db, settings }: TestService,
  airline = "SK",
  {
    fallback = "refuse",
    url = `https://${airline.toLowerCase()}.example.com/bags`,
  }: {
    readonly fallback?: AcceptanceFallback;
    readonly url?: string;
  } = {},
): Promise<void> {
  const secretSealed = await seal(settings.dataKey, { field: "acceptance-secret", id: airline }, SECRET);
  const row = { url, fallback, secretSealed };
  await db
    .insert(acceptanceHosts)
    .values({ airline, ...row })
    .onConflictDoUpdate({ target: acceptanceHosts.airline, set: row });
}

/** The message of `body`, which has exactly the fields that the OpenAPI document lists. */
function messageIn(body: string): HostMessage {
  const message: HostMessage = JSON.parse(body);
  const schema = message.type === "bag.acceptance" ? BagAcceptanceMessage : BookingRequestMessage;
  expect(parseAnswer(schema, message)).toEqual({ ok: true, value: message });
  return message;
}
