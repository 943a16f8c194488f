import { endpoints, HEADER } from "../../core/api/index.ts";
import { encodePayload, payloadDigest } from "../../core/bag/payload.ts";
import { clearPayload } from "../../core/bag/ticket-payload.ts";
import { fromBase64Url, toBase64Url } from "../../core/encoding/bytes.ts";
import { decodeToken } from "../../core/sec/token.ts";
import type { Post } from "./bare-app.ts";
import type { Observed } from "./lock-explain.ts";
import { seenText } from "./lock-model.ts";
import { type Action, type Actor, type Bag, type Statement, signs, TAGS, type Tag } from "./lock-state.ts";
import { blank, type Commit, committed, type Physical, requestOf, seenIn } from "./lock-world.ts";
import type { TestSession } from "./logins.ts";
import { ctiOf, said, wrote } from "./signing-tag.ts";

/** People with tags in their hands, who act on the service as the lock's model has it. */

/** What is sent beside an action: nothing, what the tag says now or said once, or the token that it took. */
export const TOLD = ["nothing", "receipt", "presence", "replay", "cti", "old cti"] as const;
export type Told = (typeof TOLD)[number];

type Act<T> = T extends { readonly does: "attach" | "unlock" | "release" | "token" }
  ? Omit<T, "statement" | "cti"> & { readonly told: Told }
  : T;
/** What a caller does: an action, or a commit at the tag with what follows it; `dies`: the page hears of it no more. */
export type Doing =
  | Act<Action>
  | {
      readonly does: "write" | "wipe";
      readonly who: Actor;
      readonly tag: Tag;
      readonly bag: Bag;
      readonly after: Told | "dies";
    };

interface Spoken {
  readonly text: string;
  readonly statement: Statement;
}

/** The tags and what people keep of them. */
export interface Scene {
  readonly tags: Record<Tag, Physical>;
  /** By `actor tag`: tokens that the actor was given, oldest first. */
  readonly tokens: Map<string, string[]>;
  /** What the tags said without a challenge, for whoever overhears it. */
  readonly overheard: Map<Tag, Spoken[]>;
}

export const newScene = (): Scene => ({
  tags: Object.fromEntries(TAGS.map((tag) => [tag, blank(tag)])) as Record<Tag, Physical>,
  tokens: new Map(),
  overheard: new Map(),
});

interface Part {
  readonly scene: Scene;
  readonly send: (action: Action, told?: object) => Promise<{ answer: string; body: Body }>;
}
type Body = Readonly<Record<string, unknown>>;

/** Acts through `post` as `people`; a run of it is one caller's part of a round. */
export function driver(post: Post, people: Readonly<Record<Actor, TestSession>>) {
  const send = async (action: Action, told: object = {}) => {
    const { clientKey, accessToken } = people[action.who];
    const headers = { [HEADER.clientKey]: clientKey, Authorization: `Bearer ${accessToken}` };
    const [name, input] = requestOf(action, told);
    const response = await post(endpoints[name].path, input, headers);
    const body = await response.json<Body>();
    const ok = action.does === "look" ? seenText(seenIn(body)) : "ok";
    return { body, answer: response.ok ? ok : String(body.errorCode) };
  };
  return (scene: Scene, doing: Doing): Promise<Observed> => run({ scene, send }, doing);
}

async function run(part: Part, doing: Doing): Promise<Observed> {
  if ("after" in doing) return commit(part, doing);
  if (!("told" in doing)) return [{ action: doing, answer: (await part.send(doing)).answer }];
  const { told, ...bare } = doing;
  const { who, tag } = bare;
  const looked = told === "presence" && signs(tag) ? await lookAt(part, bare) : undefined;
  const means = await meansOf(part, { who, tag, told, challenge: looked?.challenge });
  const action = { ...bare, ...means.known } as Action;
  const { answer, body } = await part.send(action, means.sent);
  if (bare.does === "token" && answer === "ok") keep(part.scene, bare, String(body.transactionToken));
  return [...(looked?.observed ?? []), { action, answer }];
}

async function lookAt({ send }: Part, { who, tag }: { readonly who: Actor; readonly tag: Tag }) {
  const action = { does: "look", who, tag } as const;
  const { answer, body } = await send(action);
  const challenge = body.tagChallenge;
  return {
    observed: [{ action, answer }],
    challenge: typeof challenge === "string" ? challenge : undefined,
  };
}

/** A token; with it a commit at the tag; and then the service hears of it, or not. */
async function commit(part: Part, doing: Extract<Doing, { after: unknown }>): Promise<Observed> {
  const { who, tag, bag, after: told } = doing;
  const operation = doing.does === "write" ? "write" : "clear";
  const asked = { does: "token", who, tag, forBag: bag } as const;
  const { answer, body } = await part.send(asked, await contentOf(operation));
  const first = { action: asked, answer };
  if (answer !== "ok") return [first];
  const token = String(body.transactionToken);
  keep(part.scene, doing, token);
  part.scene.tags[tag] = committed(part.scene.tags[tag], { by: who, cti: iatOf(token), operation, token });
  if (told === "dies") return [first];
  const then: Doing =
    operation === "write"
      ? { does: "attach", who, tag, bag, told }
      : { does: "unlock", who, tag, forBag: bag, told };
  return [first, ...(await run(part, then))];
}

async function contentOf(operation: Commit["operation"]): Promise<object> {
  if (operation === "write") return { operation };
  return { operation, payloadDigest: toBase64Url(await payloadDigest(encodePayload(clearPayload()))) };
}

function keep({ tokens }: Scene, { who, tag }: { readonly who: Actor; readonly tag: Tag }, token: string) {
  const name = `${who} ${tag}`;
  tokens.set(name, [...(tokens.get(name) ?? []), token]);
}

const iatOf = (token: string) => Math.floor(decodeToken(fromBase64Url(token)).claims.iat);

interface Wanted {
  readonly who: Actor;
  readonly tag: Tag;
  readonly told: Told;
  readonly challenge: string | undefined;
}
/** What is sent, and what the model knows of it. */
interface Means {
  readonly sent?: object;
  readonly known?: { readonly statement?: Statement; readonly cti?: number };
}

async function meansOf({ scene }: Part, { who, tag, told, challenge }: Wanted): Promise<Means> {
  if (told === "nothing") return {};
  if (told === "cti" || told === "old cti") {
    const token = scene.tokens.get(`${who} ${tag}`)?.at(told === "cti" ? -1 : 0);
    return token === undefined ? {} : { sent: { cti: ctiOf(token) }, known: { cti: iatOf(token) } };
  }
  if (!signs(tag)) return {};
  const spoken =
    told === "replay" ? scene.overheard.get(tag)?.[0] : await speak(scene, scene.tags[tag], challenge);
  return spoken === undefined
    ? {}
    : { sent: { tagStatement: spoken.text }, known: { statement: spoken.statement } };
}

/** What the tag says now, under `challenge` if there is one. */
async function speak(scene: Scene, tag: Physical, challenge: string | undefined): Promise<Spoken> {
  const { last, commits } = tag;
  const text = last
    ? await wrote(tag.tag, last.token, commits, { operation: last.operation, challenge })
    : await said(tag.tag, { challenge });
  const plain = { commits, by: last?.by ?? null, cti: last?.cti ?? 0, operation: last?.operation ?? "write" };
  if (challenge !== undefined) return { text, statement: { ...plain, challenge: "seen" } };
  const heard = scene.overheard.get(tag.tag) ?? [];
  const isKnown = heard.some(({ statement }) => statement.commits === commits);
  if (!isKnown) scene.overheard.set(tag.tag, [...heard, { text, statement: plain }]);
  return { text, statement: plain };
}
