import { describe, expect, it } from "vitest";
import { payloadDigest } from "../../core/bag/payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { STATUS } from "../../core/gatt/profile.ts";
import { commitMark, decodeStatement, type TagStatement } from "../../core/sec/statement.ts";
import { decodeToken } from "../../core/sec/token.ts";
import type { Central } from "../test-support/central.ts";
import { PAYLOAD, reach, reconnect, type Stage, stage } from "../test-support/stages.ts";

const CHALLENGE = new Uint8Array(16).fill(9);
const NEVER = { cti: null, mark: null, operation: null, commits: 0 };

/** The next record, which is a statement (under the tag's own key: conformance check C75). */
async function statementOf({ central }: Stage): Promise<TagStatement> {
  const record = await central.record();
  if (record.kind !== "statement") throw new Error(`a statement expected, not ${record.kind}`);
  return decodeStatement(record.statement).statement;
}

const ask = (central: Central, challenge: Bytes = CHALLENGE) => central.say({ kind: "challenge", challenge });

/** Writes or clears in the open session, and gives the token's cti and the mark that must result. */
async function transfer({ central }: Stage, payload: Bytes, operation: "write" | "clear") {
  const token = await central.token(payload, operation);
  const { cti, nonce } = decodeToken(token).claims;
  await central.say({ kind: "token", token });
  expect(await central.code()).toBe(STATUS.AUTHORIZED);
  await central.stage(payload);
  await central.commit(payload);
  expect(await central.code()).toBe(STATUS.COMMITTED);
  return { cti, operation, mark: await commitMark(nonce, await payloadDigest(payload)) };
}

describe("a tag that signs", () => {
  it("marks the same label differently each time: only the writer can recognize it", async () => {
    const at = await reach("ESTABLISHED");
    const first = await transfer(at, PAYLOAD, "write");
    await statementOf(at);
    await reconnect(at);
    await at.central.handshake();
    const second = await transfer(at, PAYLOAD, "write");
    expect(second.mark).not.toEqual(first.mark);
    expect(await statementOf(at)).toMatchObject({ ...second, commits: 2 });
  });

  it("counts and names commits over v2.0 as well", async () => {
    const at = await stage();
    await at.central.present();
    const nonce = await at.central.nonce();
    await at.central.plainTransfer(PAYLOAD);
    await reconnect(at);
    await at.central.handshake();
    await ask(at.central);
    const mark = await commitMark(nonce, await payloadDigest(PAYLOAD));
    expect(await statementOf(at)).toMatchObject({ commits: 1, operation: "write", mark });
  });

  it("goes on counting where it was when it was made", async () => {
    const at = await stage({ commits: 1_795_262_400 });
    await at.central.handshake();
    await ask(at.central);
    expect(await statementOf(at)).toMatchObject({ ...NEVER, commits: 1_795_262_400 });
    await transfer(at, PAYLOAD, "write");
    expect(await statementOf(at)).toMatchObject({ commits: 1_795_262_401 });
  });

  it("says nothing of a commit that the power cut off", async () => {
    const at = await reach("COMMITTING");
    at.tag.reboot();
    await at.tag.connect();
    await at.central.handshake();
    await ask(at.central);
    expect(await statementOf(at)).toMatchObject(NEVER);
  });
});
