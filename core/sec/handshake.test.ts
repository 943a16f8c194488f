import { describe, expect, it } from "vitest";
import { type Bytes, concat, fromHex, toHex } from "../encoding/bytes.ts";
import { encodeBstr } from "../encoding/cbor.ts";
import { recorder } from "../vectors/transcript.ts";
import { Once } from "./authentication.ts";
import type { SecErrorCode } from "./errors.ts";
import { readMessage2, readMessage4, writeMessage1, writeMessage3 } from "./initiator.ts";
import { decodePlaintext2 } from "./messages.ts";
import { readMessage1, readMessage3, writeMessage2, writeMessage4 } from "./responder.ts";
import { mac2, mac3, toBeSigned } from "./schedule.ts";
import { SUITES, type SuiteId } from "./suites.ts";
import {
  CHAINS,
  codeOf,
  credentialOf,
  handshakeOf,
  initiatorConfig,
  publicKeyOf,
  responderConfig,
  shakeHands,
} from "./test-support/parties.ts";

describe.each<[string, SuiteId[]]>([
  ["suite 6", [6]],
  ["suite 3 after suite 6", [6, 3]],
  ["suite 2, for verification", [2]],
])("a handshake in %s", (_name, suites) => {
  it("ends with the same exporter on both sides", async () => {
    const { initiator, responder } = await shakeHands(suites);
    expect(await initiator.export(32768, 40)).toEqual(await responder.export(32768, 40));
    expect(await initiator.export(32768, 16)).not.toEqual(await initiator.export(32769, 16));
  });

  it("reports to each side the other's chain as it came", async () => {
    const { initiator, responder } = await shakeHands(suites);
    expect([initiator.peerChain, responder.peerChain]).toEqual([CHAINS.responder, CHAINS.initiator]);
    expect(initiator.suite.id).toBe(suites.at(-1));
  });

  it("never uses an ephemeral key twice", async () => {
    const config = await initiatorConfig(suites);
    const responder = await responderConfig(suites.slice(-1));
    const seen = new Set<string>();
    for (let i = 0; i < 3; i++) {
      const { message } = await writeMessage1(config);
      const second = await writeMessage2(await readMessage1(responder, message));
      seen.add(toHex(message)).add(toHex(second.message.slice(0, 40)));
    }
    expect(seen.size).toBe(6);
  });
});

it("a tag may send its leaf alone, and message_2 is then 517 bytes long", async () => {
  const { chain, privateKey } = await credentialOf("responder");
  const leafOnly = { ...(await responderConfig()), credential: { chain: chain.slice(0, 1), privateKey } };
  const trusting = {
    ...(await initiatorConfig()),
    verifyPeer: async (received: readonly Bytes[]) => {
      expect(received.length).toBe(1);
      return { publicKey: await publicKeyOf(received[0] as Bytes) };
    },
  };
  const first = await writeMessage1(trusting);
  const second = await writeMessage2(await readMessage1(leafOnly, first.message));
  expect(second.message.length).toBe(517);
  expect((await readMessage2(first.state, second.message)).state.step).toBe("M2_VERIFIED");
});

it("gives copies to those who trace it: changing them changes nothing", async () => {
  const trace = (_name: string, value: Bytes) => void value.fill(0);
  const { initiator, responder } = await handshakeOf(
    { ...(await initiatorConfig()), trace },
    { ...(await responderConfig()), trace },
  );
  const exported = [initiator, responder].map((session) => session.export(1, 16));
  const [own, other] = await Promise.all(exported);
  expect(own).toEqual(other);
  expect(own).not.toEqual(new Uint8Array(16));
});

describe("what is refused early", () => {
  it("a client that has no suite to offer", async () => {
    expect(await codeOf(async () => writeMessage1(await initiatorConfig([])))).toBe("SUITE");
  });

  it("our own G_X as G_Y, before any agreement", async () => {
    const { trace, values } = recorder();
    const first = await writeMessage1({ ...(await initiatorConfig()), trace });
    const mirrored = concat(fromHex("5840"), first.message.slice(4, 36), new Uint8Array(32));
    expect(await codeOf(() => readMessage2(first.state, mirrored))).toBe("MESSAGE");
    expect(Object.keys(values)).toEqual(["message_1", "TH_1"]);
  });

  it.each([
    [255 * 32, true],
    [255 * 32 + 1, false],
  ])(
    "a message_2 longer than its keystream can be: %i bytes are decrypted: %s",
    async (length, decrypted) => {
      const { trace, values } = recorder();
      const first = await writeMessage1({ ...(await initiatorConfig()), trace });
      const long = encodeBstr(concat(fromHex("09".repeat(32)), new Uint8Array(length)));
      expect(await codeOf(() => readMessage2(first.state, long))).toBe("MESSAGE");
      expect("PLAINTEXT_2" in values).toBe(decrypted);
    },
  );
});

describe("the verification of the peer's chain", () => {
  async function refusedBy(error: unknown) {
    const verifyPeer = () => Promise.reject(error);
    const first = await writeMessage1({ ...(await initiatorConfig()), verifyPeer });
    const second = await writeMessage2(await readMessage1(await responderConfig(), first.message));
    return codeOf(() => readMessage2(first.state, second.message));
  }

  it("is CHAIN when it fails in any other way", async () => {
    expect(await refusedBy(new TypeError("broken"))).toBe("CHAIN");
  });
});

describe("the responder's choice of a suite", () => {
  const G_X = "5820741a13d7ba048fbb615e94386aa3b61bea5b3d8f65f32620b749bee8d278efa9";
  const answer = async (supported: SuiteId[], suitesI: string) =>
    codeOf(async () => readMessage1(await responderConfig(supported), fromHex(`00${suitesI}${G_X}00`)));

  it.each<[string, SuiteId[], string, SecErrorCode | "no failure"]>([
    ["takes 6 alone", [6, 3], "06", "no failure"],
    ["takes 3 alone", [6, 3], "03", "no failure"],
    ["takes 3 behind 6 where 6 is not supported", [3], "820603", "no failure"],
    ["refuses 6 where only 3 is supported", [3], "06", "SUITE"],
  ])("%s", async (_what, supported, suitesI, expected) => {
    expect(await answer(supported, suitesI)).toBe(expected);
  });

  it("names what it supports when it refuses", async () => {
    const refused = readMessage1(await responderConfig([6, 3]), fromHex(`00820603${G_X}00`));
    await expect(refused).rejects.toMatchObject({ code: "SUITE", suitesR: [6, 3] });
  });

  it("is 6, then 3 unless configured otherwise", async () => {
    const refused = readMessage1(await responderConfig(), fromHex(`0002${G_X}00`));
    await expect(refused).rejects.toMatchObject({ suitesR: [6, 3] });
  });
});

describe("a state of the handshake", () => {
  async function steps() {
    const first = await writeMessage1(await initiatorConfig());
    const accepted = await readMessage1(await responderConfig(), first.message);
    return { first, accepted };
  }

  it("can be used once, at every step", async () => {
    const { first, accepted } = await steps();
    const second = await writeMessage2(accepted);
    expect(await codeOf(() => writeMessage2(accepted))).toBe("STATE");
    const verified = await readMessage2(first.state, second.message);
    expect(await codeOf(() => readMessage2(first.state, second.message))).toBe("STATE");
    const third = await writeMessage3(verified.state);
    expect(await codeOf(() => writeMessage3(verified.state))).toBe("STATE");
    const client = await readMessage3(second.state, third.message);
    expect(await codeOf(() => readMessage3(second.state, third.message))).toBe("STATE");
    const fourth = await writeMessage4(client.state);
    expect(await codeOf(() => writeMessage4(client.state))).toBe("STATE");
    await readMessage4(third.state, fourth.message);
    expect(await codeOf(() => readMessage4(third.state, fourth.message))).toBe("STATE");
  });

  it("serves one of two parallel calls", async () => {
    const { first, accepted } = await steps();
    const second = await writeMessage2(accepted);
    const both = [readMessage2(first.state, second.message), readMessage2(first.state, second.message)];
    const settled = await Promise.allSettled(both);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  it("can be given up", async () => {
    const { first, accepted } = await steps();
    first.state.discard();
    first.state.discard();
    const second = await writeMessage2(accepted);
    expect(await codeOf(() => readMessage2(first.state, second.message))).toBe("STATE");
  });
});

describe("a session", () => {
  it("exports nothing once destroyed", async () => {
    const { initiator } = await shakeHands();
    initiator.destroy();
    initiator.destroy();
    expect(await codeOf(() => initiator.export(1, 16))).toBe("STATE");
  });

  it("can be detached once", async () => {
    const { initiator } = await shakeHands();
    const detached = initiator.detach();
    expect(await codeOf(() => initiator.detach())).toBe("STATE");
    expect(await codeOf(() => initiator.export(1, 16))).toBe("STATE");
    expect((await detached.export(1, 16)).length).toBe(16);
  });
});

describe("our own signature", () => {
  it("may have a high s as well as a low one", async () => {
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const { chain, privateKey } = await credentialOf("initiator");
    const halves = new Set<boolean>();
    for (const flip of [false, true]) {
      const credential = {
        chain,
        async sign(data: Bytes) {
          const raw = await SUITES[6].signature.sign(privateKey, data);
          const s = BigInt(`0x${toHex(raw.slice(32))}`);
          const low = s <= order / 2n ? s : order - s;
          const chosen = flip ? order - low : low;
          halves.add(chosen > order / 2n);
          return concat(raw.slice(0, 32), fromHex(chosen.toString(16).padStart(64, "0")));
        },
      };
      await handshakeOf({ ...(await initiatorConfig()), credential }, await responderConfig());
    }
    expect(halves.size).toBe(2);
  });
});

it("C_I is 0 and C_R is 1 unless configured otherwise", async () => {
  const { trace, values } = recorder();
  await handshakeOf(await initiatorConfig(), { ...(await responderConfig()), trace });
  expect(String(values.message_1).slice(-2)).toBe("00");
  expect(String(values.PLAINTEXT_2).slice(0, 2)).toBe("01");
});

it("each step names itself", async () => {
  const steps = (await shakeHands()).states.map(({ step }) => step);
  expect(steps).toEqual(["WAIT_M2", "M1_ACCEPTED", "WAIT_M3", "M2_VERIFIED", "WAIT_M4", "M3_VERIFIED"]);
});

it("a session knows the peer as it was authenticated, and so does the one that it is handed over to", async () => {
  const { initiator, responder, peers } = await shakeHands();
  for (const [index, session] of [initiator, responder].entries()) {
    expect(session.peer).toBe(peers[index]);
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
