/** C43–C54: transaction tokens (docs/protocol.md, Transaction token), cheap checks first. */
import { type Bytes, equalBytes } from "../../../core/encoding/bytes.ts";
import { type GattVersion, STATUS, type StatusName } from "../../../core/gatt/profile.ts";
import type { TokenClaims } from "../../../core/sec/token.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, LABEL_BYTES } from "../desk.ts";
import type { DeskSession, Offer, PlainSession } from "../session.ts";
import { expectCode, isCode, Skipped, seenOf, type Verdict, verdict } from "../types.ts";
import { once } from "./written.ts";

const NOT_A_TOKEN: Bytes = new Uint8Array(48).fill(0xa5);
/** A record's kind, the CBOR around a token of 256 bytes or more, and the AEAD's tag. */
const RECORD = 1 + 5 + 16;
const SHORTEST = 256;
const ANOTHER_KID = "no-such-key";

/**
 * The tag must refuse the token with `code`. Except for `changes` and the signature, it is what the service
 * would write.
 */
const refuses =
  (code: StatusName, changes: (session: DeskSession) => Partial<TokenClaims>, kid?: string) =>
  async (desk: Desk): Promise<Verdict> => {
    const { answer } = await desk.misses((session) => desk.forged(session, changes(session), kid));
    return expectCode(answer, code);
  };

async function format(desk: Desk): Promise<Verdict> {
  // Gets a permission first: without one these checks would lock the tag.
  await desk.requestToken(await desk.session(), LABEL_BYTES);
  const { answer } = await desk.misses(async () => NOT_A_TOKEN);
  return expectCode(answer, "TOKEN_FORMAT");
}

const other: Bytes = new Uint8Array(32).fill(0x77);
const kid = refuses("TOKEN_KID", () => ({}), ANOTHER_KID);
const nonce = refuses("TOKEN_NONCE", () => ({ nonce: new Uint8Array(16).fill(0x11) }));
const version = refuses("VERSION", ({ generation }) => ({ version: generation === "2.1" ? "2.0" : "2.1" }));
const binding = refuses("TOKEN_BINDING", () => ({ channelBinding: other }));
const key = refuses("TOKEN_BINDING", () => ({ cnfSpkiSha256: other }));

async function unbound(desk: Desk): Promise<Verdict> {
  const make = async (session: PlainSession) => {
    const { payloadDigest: _absent, ...claims } = await desk.claims(session);
    return desk.signed(claims);
  };
  const { answer } = await desk.misses(make, () => desk.plain());
  return expectCode(answer, "TOKEN_BINDING");
}

/** One refused token for all checks that need one: a tag locks itself at the third. */
interface Missed extends Offer {
  /** The nonce it was made for. */
  readonly before: Bytes;
  /** What STATUS says behind it. */
  readonly shown: StatusName | undefined;
}

async function missed(desk: Desk, changes: Partial<TokenClaims> = {}): Promise<Missed> {
  let before: Bytes = new Uint8Array();
  const offer = await desk.misses((session) => {
    before = session.nonce;
    return desk.forged(session, changes);
  });
  const shown = desk.probe.open ? (await desk.probe.status()).code : undefined;
  return { ...offer, before, shown };
}

const forAnother = once((desk) => missed(desk, { aud: "another-tag" }));
const unsigned = once((desk) => missed(desk));

const audience = async (desk: Desk) => expectCode((await forAnother(desk)).answer, "TOKEN_AUD");

/** A good token of an earlier session, for later. */
const recorded = new WeakMap<Desk, Bytes>();

async function signature(desk: Desk): Promise<Verdict> {
  const { answer } = await unsigned(desk);
  if (desk.probe.open) recorded.set(desk, await desk.requestToken(await desk.session(), LABEL_BYTES));
  return expectCode(answer, "TOKEN_SIG");
}

async function renewal(desk: Desk): Promise<Verdict> {
  const { answer, renewed, before } = await unsigned(desk);
  if (renewed === undefined) return verdict(false, ...seenOf(answer));
  const good = renewed.length === 16 && !equalBytes(before, renewed);
  return good ? verdict(true, "nonceRenewed") : verdict(false, "nonceKept");
}

/** A good token from an earlier session of the same tag. */
async function lifted(desk: Desk): Promise<Verdict> {
  const token = recorded.get(desk) ?? (await desk.requestToken(await desk.session(), LABEL_BYTES));
  await desk.spareMiss();
  desk.abandon();
  const { answer } = await desk.misses(async () => token);
  return expectCode(answer, "TOKEN_NONCE", "TOKEN_BINDING");
}

/** A message that needs no frame more or less than it fills, which is no token. */
async function filled(desk: Desk): Promise<Verdict> {
  await desk.requestToken(await desk.session(), LABEL_BYTES);
  const { frame } = await desk.probe.info();
  const { answer } = await desk.misses(async (session) =>
    new Uint8Array(filling(frame, session.generation)).fill(0xa5),
  );
  return expectCode(answer, "TOKEN_FORMAT");
}

/** Bytes of a token whose message fills two frames or more: heads of four bytes and one, and of a record's its own. */
function filling(frame: number, generation: GattVersion): number {
  const around = generation === "2.1" ? RECORD : 0;
  const count = Math.ceil((SHORTEST + around + 3) / (frame - 1)) + 1;
  return count * (frame - 1) - 3 - around;
}

async function hidden(desk: Desk): Promise<Verdict> {
  const { answer, shown } = await forAnother(desk);
  if (!isCode(answer, "TOKEN_AUD") || shown === undefined) throw new Skipped(...seenOf(answer));
  return verdict(STATUS[shown] <= STATUS.STATE, "code", `${STATUS[shown]} ${shown}`);
}

export const TOKEN_CHECKS = [
  { id: "C43", group: "token", profile: "both", run: format },
  { id: "C44", group: "token", profile: "both", run: kid },
  { id: "C45", group: "token", profile: "both", run: audience },
  { id: "C46", group: "token", profile: "both", run: nonce },
  { id: "C47", group: "token", profile: "both", run: version },
  { id: "C48", group: "token", profile: "both", run: binding },
  { id: "C49", group: "token", profile: "both", run: key },
  { id: "C50", group: "token", profile: "2.0", run: unbound },
  { id: "C51", group: "token", profile: "both", run: signature },
  { id: "C52", group: "token", profile: "both", run: renewal },
  { id: "C53", group: "token", profile: "both", run: lifted },
  { id: "C54", group: "token", profile: "2.1", run: hidden },
  { id: "C89", group: "token", profile: "both", run: filled },
] as const satisfies readonly CheckRow[];
