import { describe, expect, it } from "vitest";
import { type Bytes, fromHex, toHex } from "../encoding/bytes.ts";
import { recorder } from "../vectors/transcript.ts";
import { Once } from "./authentication.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "./initiator.ts";
import { decodePlaintext2 } from "./messages.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "./responder.ts";
import { mac2, mac3, toBeSigned } from "./schedule.ts";
import { SUITES } from "./suites.ts";
import { initiatorConfig, responderConfig } from "./test-support/parties.ts";

/** What the messages of a handshake look like inside, and what is left of it. */

/** One handshake, both sides traced. */
async function traced() {
  const client = recorder();
  const tag = recorder();
  const first = await writeMessage1({ ...(await initiatorConfig()), trace: client.trace });
  const accepted = await readMessage1({ ...(await responderConfig()), trace: tag.trace }, first.message);
  const second = await writeMessage2(accepted);
  const verified = await readMessage2(first.state, second.message);
  const third = await writeMessage3(verified.state);
  const authenticated = await readMessage3(second.state, third.message);
  const fourth = await writeMessage4(authenticated.state);
  const sessions = [await readMessage4(third.state, fourth.message), fourth.session];
  const states = [first, { state: accepted }, second, verified, third, authenticated].map(
    ({ state }) => state.step,
  );
  const messages = [first, second, third, fourth];
  return {
    client: client.values,
    tag: tag.values,
    messages,
    states,
    sessions,
    peers: [verified, authenticated],
  };
}

it("C_I is 0 and C_R is 1 unless configured otherwise", async () => {
  const { tag } = await traced();
  expect(String(tag.message_1).slice(-2)).toBe("00");
  expect(String(tag.PLAINTEXT_2).slice(0, 2)).toBe("01");
});

it("each step names itself", async () => {
  const { states } = await traced();
  expect(states).toEqual(["WAIT_M2", "M1_ACCEPTED", "WAIT_M3", "M2_VERIFIED", "WAIT_M4", "M3_VERIFIED"]);
});

it("a session knows the peer as it was authenticated, and so does the one that it is handed over to", async () => {
  const { sessions, peers } = await traced();
  for (const [index, session] of sessions.entries()) {
    expect(session.peer).toBe(peers[index]?.peer);
    const { peer, peerChain } = session;
    expect(session.detach()).toMatchObject({ peer, peerChain });
  }
});

describe("external authorization data", () => {
  const bytes = (length: number, value: number): Bytes => new Uint8Array(length).fill(value);
  const claim = { idCred: fromHex("a0"), cred: bytes(2, 2), th: bytes(3, 3), ead: fromHex("0141ff") };

  it("are signed behind transcript hash and certificate", () => {
    // ["Signature1", h'a0', h'43030303 420202 0141ff', h'0909']
    const signed = `846a5369676e61747572653141a04a43030303420202${"0141ff"}420909`;
    expect(toHex(toBeSigned(claim, bytes(2, 9)))).toBe(signed);
  });

  it("change both MACs", async () => {
    const without = { ...claim, ead: new Uint8Array() };
    const prk = bytes(32, 7);
    const macs = [claim, without].flatMap((one) => [
      mac2(SUITES[6], prk, fromHex("01"), one),
      mac3(SUITES[6], prk, one),
    ]);
    expect(new Set((await Promise.all(macs)).map(toHex)).size).toBe(4);
  });
});

it("a credential by its bare key id is a map in every computation", () => {
  const plaintext = (idCred: string) => fromHex(`00${idCred}5840${"09".repeat(64)}`);
  const idCredOf = (bytes: Bytes) => toHex(decodePlaintext2(bytes).idCred);
  expect(idCredOf(plaintext("2b"))).toBe("a104412b");
  expect(idCredOf(plaintext("420102"))).toBe("a104420102");
});

describe("a step", () => {
  it("shows nothing of its contents from outside", () => {
    expect(JSON.stringify(new Once("WAIT", { secret: "s" }))).toBe('{"step":"WAIT"}');
  });
});
