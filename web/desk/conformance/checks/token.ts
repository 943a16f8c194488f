/** C43–C54: transaction tokens (docs/protocol.md, Transaction token), cheap checks first. */
import { type Bytes, equalBytes } from "../../../../core/encoding/bytes.ts";
import { STATUS, type StatusName } from "../../../../core/gatt/profile.ts";
import type { TokenClaims } from "../../../../core/sec/token.ts";
import { expectCode, isCode, seenOf } from "../answers.ts";
import type { CheckRow } from "../check-row.ts";
import { type Desk, LABEL_BYTES } from "../desk.ts";
import type { DeskSession } from "../session.ts";
import { Skipped, type Verdict, verdict } from "../types.ts";

const NOT_A_TOKEN: Bytes = new Uint8Array(48).fill(0xa5);
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
  await desk.permitted(await desk.session(), LABEL_BYTES);
  const { answer } = await desk.misses(async () => NOT_A_TOKEN);
  return expectCode(answer, "TOKEN_FORMAT");
}

const other: Bytes = new Uint8Array(32).fill(0x77);
const kid = refuses("TOKEN_KID", () => ({}), ANOTHER_KID);
const audience = refuses("TOKEN_AUD", () => ({ aud: "another-tag" }));
const nonce = refuses("TOKEN_NONCE", () => ({ nonce: new Uint8Array(16).fill(0x11) }));
const version = refuses("VERSION", ({ generation }) => ({ version: generation === "2.1" ? "2.0" : "2.1" }));
const binding = refuses("TOKEN_BINDING", () => ({ channelBinding: other }));
const key = refuses("TOKEN_BINDING", () => ({ cnfSpkiSha256: other }));
const signature = refuses("TOKEN_SIG", () => ({}));

async function unbound(desk: Desk): Promise<Verdict> {
  const { answer } = await desk.misses(async (session) => {
    const { payloadDigest: _absent, ...claims } = await desk.claims(session);
    return desk.signed(claims);
  });
  return expectCode(answer, "TOKEN_BINDING");
}

async function renewal(desk: Desk): Promise<Verdict> {
  let before: Bytes = new Uint8Array();
  const { answer, renewed } = await desk.misses((session) => {
    before = session.nonce;
    return desk.forged(session);
  });
  if (renewed === undefined) return verdict(false, ...seenOf(answer));
  const good = renewed.length === 16 && !equalBytes(before, renewed);
  return good ? verdict(true, "nonceRenewed") : verdict(false, "nonceKept");
}

/** A good token from an earlier session of the same tag. */
async function lifted(desk: Desk): Promise<Verdict> {
  await desk.spareMiss();
  const token = await desk.permitted(await desk.session(), LABEL_BYTES);
  desk.probe.close();
  const { answer } = await desk.misses(async () => token);
  return expectCode(answer, "TOKEN_NONCE", "TOKEN_BINDING");
}

async function hidden(desk: Desk): Promise<Verdict> {
  const { answer } = await desk.misses((session) => desk.forged(session, { aud: "another-tag" }));
  if (!isCode(answer, "TOKEN_AUD")) throw new Skipped(...seenOf(answer));
  const { code } = await desk.probe.status();
  return verdict(STATUS[code] <= STATUS.STATE, "code", `${STATUS[code]} ${code}`);
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
] as const satisfies readonly CheckRow[];
