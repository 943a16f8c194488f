/** Tags with one fault each, and the checks that must find it. */
import { encodePayload } from "../../../core/bag/payload.ts";
import { type Bytes, concat, equalBytes, utf8 } from "../../../core/encoding/bytes.ts";
import { type GattVersion, PROFILE, STATUS, TAG_STATE } from "../../../core/gatt/profile.ts";
import { decodeMessage1 } from "../../../core/sec/messages.ts";
import { RECORD_KIND } from "../../../core/sec/records.ts";
import { decodeToken } from "../../../core/sec/token.ts";
import type { GattService, VirtualTag } from "../../../sim/tag/tag-types.ts";
import type { LeapingWorld } from "../../../sim/test-support/virtual-time.ts";
import type { CheckId } from "../checks.ts";
import { CLEAR_BYTES, LABEL_BYTES, TEST_LABEL } from "../desk.ts";
import { type Fixture, hastyWorld, tagOf, V20_ID } from "./fixture.ts";
import { edhoc, type Tampering, tampered } from "./tampered-tag.ts";

export interface BrokenTag {
  readonly name: string;
  readonly generation: GattVersion;
  readonly caught: readonly CheckId[];
  readonly make: (fixture: Fixture) => Promise<VirtualTag>;
}

export const broken = (
  generation: GattVersion,
  name: string,
  caught: BrokenTag["caught"],
  make: BrokenTag["make"],
): BrokenTag => ({ name, generation, caught, make });

/** A good tag with something between it and the air. */
const behind =
  (generation: GattVersion) =>
  (
    name: string,
    caught: BrokenTag["caught"],
    tampering: (fixture: Fixture, tag: VirtualTag) => Tampering,
  ): BrokenTag =>
    broken(generation, name, caught, async (fixture) => {
      const tag = await tagOf(fixture, generation);
      return tampered(tag, tampering(fixture, tag));
    });
const v20 = behind("2.0");
export const v21 = behind("2.1");

/** The value of one characteristic, changed on its way out. */
const reading = (name: string, change: (value: Bytes) => Bytes) => (): Tampering => ({
  read: (characteristic, value) => (characteristic === name ? change(value.slice()) : value),
});

function put(value: Bytes, at: number, byte: number): Bytes {
  if (value.length > at) value[at] = byte;
  return value;
}

/** STATUS says `to` if its code is `from`. */
const sayingInsteadOf = (from: number, to: number) =>
  reading("STATUS", (value) => (value[1] === from ? put(value, 1, to) : value));

const changedTable =
  (change: (services: readonly GattService[]) => readonly GattService[]) =>
  (_fixture: Fixture, { services }: VirtualTag): Tampering => ({ services: change(services) });

const withRow = (name: string, change: object) => (services: readonly GattService[]) =>
  services.map((service) => ({
    ...service,
    characteristics: service.characteristics.map((row) => (row.name === name ? { ...row, ...change } : row)),
  }));

const withSec = ([service, ...others]: readonly GattService[]): readonly GattService[] => {
  const row = { name: "SEC", ...PROFILE.characteristics.SEC } as const;
  return [{ uuid: PROFILE.service, characteristics: [...(service?.characteristics ?? []), row] }, ...others];
};

/** Swallows a matching message_1 and sends another answer. */
const scripted = (matches: (message1: Bytes) => boolean, answer: Bytes | undefined) => (): Tampering => ({
  message: (characteristic, message) =>
    characteristic === "SEC" && matches(message)
      ? { instead: answer === undefined ? [] : [answer] }
      : message,
});

const suitesOf = (message: Bytes) => (message.length === 39 ? decodeMessage1(message).suitesI.length : 0);
const NOT_MESSAGE_2 = edhoc(new Uint8Array(200));

function unlingering(): LeapingWorld {
  const world = hastyWorld();
  const never = () => () => undefined;
  return {
    ...world,
    after: (ms, action) => (ms === 30 ? (never()() ?? (() => undefined)) : world.after(ms, action)),
  };
}

const OTHERS = [LABEL_BYTES, CLEAR_BYTES];

export const BROKEN_TAGS: readonly BrokenTag[] = [
  v20("has SEC although it does not speak v2.1", ["C01"], changedTable(withSec)),
  v20("draws its Database Hash", ["C91"], () => {
    let reads = 0;
    return { read: (name, value) => (name === "DATABASE_HASH" ? put(value.slice(), 0, reads++) : value) };
  }),
  v20("cannot notify STATUS", ["C02"], changedTable(withRow("STATUS", { notify: false }))),
  v20("takes tokens without response", ["C02"], changedTable(withRow("AUTH", { command: true }))),
  v20(
    "sets a reserved flag in INFO",
    ["C03"],
    reading("INFO", (value) => put(value, 9, (value[9] as number) | 0x80)),
  ),
  v20("advertises another name than its id's", ["C04"], () => ({ name: "EBT-9999" })),
  v20(
    "says IDLE in STATUS while it is connected",
    ["C05"],
    reading("STATUS", (value) => (value[0] === TAG_STATE.CONNECTED ? put(value, 0, 0) : value)),
  ),
  v20(
    "flags a low battery at 87 %",
    ["C06"],
    reading("INFO", (value) => put(value, 9, (value[9] as number) | 1)),
  ),
  v21(
    "has a battery at 101 %",
    ["C07"],
    reading("LEVEL", () => Uint8Array.of(101)),
  ),
  broken("2.0", "reveals its serial number in the device information", ["C08"], (fixture) =>
    tagOf(fixture, "2.0", { model: `Model ${V20_ID}` }),
  ),
  v20("lets DATA be read", ["C02", "C09"], (fixture, tag) => ({
    ...changedTable(withRow("DATA", { read: true }))(fixture, tag),
    unreadable: () => new Uint8Array(4),
  })),
  v21("does not mind a gap in the sequence of frames", ["C12"], () => ({
    frame: (_name, frame) => (frame[0] === 0x02 && frame.length === 20 ? put(frame.slice(), 0, 0x01) : frame),
  })),
  v21("is silent about a message that is too large", ["C16"], () => ({
    frame: (_name, frame) => (frame[3] === 0xff && frame.length === 5 ? [] : frame),
  })),
  broken("2.1", "keeps the link after an alert", ["C18"], (fixture) =>
    tagOf(fixture, "2.1", {}, unlingering()),
  ),
  v21(
    "takes a suite although it supports an earlier one",
    ["C21"],
    scripted((message) => suitesOf(message) === 2, NOT_MESSAGE_2),
  ),
  v21(
    "takes message_1 with a byte too many",
    ["C23"],
    scripted((message) => message.length === 38 && message.at(-1) === 0xff, NOT_MESSAGE_2),
  ),
  v21(
    "agrees on a key with a point of low order",
    ["C24"],
    scripted(
      (message) => message.length === 37 && message.slice(4, 36).every((byte) => byte === 0),
      NOT_MESSAGE_2,
    ),
  ),
  broken("2.1", "has the certificate of another tag", ["C27"], async (fixture) =>
    tagOf(fixture, "2.1", { credential: await fixture.people.tags.issue("ebt-21-0002") }),
  ),
  broken("2.1", "trusts any client root", ["C28", "C70"], (fixture) =>
    tagOf(fixture, "2.1", { clientRoots: [fixture.people.clients.root, fixture.throwAway.root] }),
  ),
  v20(
    "says it is blank whatever it shows",
    ["C38"],
    reading("INFO", (value) => put(value, 9, (value[9] as number) | 2)),
  ),
  v20(
    "forgets what it committed",
    ["C39"],
    reading("STATUS", (value) =>
      value.length === 13 ? concat(value.slice(0, 5), new Uint8Array(8)) : value,
    ),
  ),
  v21("shows the licence plate in the firmware version", ["C40"], (_fixture, tag) => ({
    read: (name, value) => {
      const { content } = tag.snapshot().display;
      return name === "FIRMWARE" && content !== null ? utf8(`1.0 ${content.licencePlate}`) : value;
    },
  })),
  v21("still takes the v2.0 path after a v2.1 commit", ["C42"], sayingInsteadOf(STATUS.VERSION, STATUS.OK)),
  v20("takes a token that binds no payload", ["C50"], () => {
    let unbound = false;
    return {
      message: (name, message) => {
        if (name === "AUTH" || name === "CERT") unbound = isUnbound(message);
        return message;
      },
      read: (name, value) =>
        name === "STATUS" && unbound ? put(value.slice(), 1, STATUS.AUTHORIZED) : value,
    };
  }),
  broken("2.0", "draws the same nonce for ever", ["C52", "C53", "C68"], (fixture) =>
    tagOf(fixture, "2.0", {}, { ...hastyWorld(), random: (length) => new Uint8Array(length).fill(9) }),
  ),
  v21("reveals in STATUS why it refused a token of v2.1", ["C54"], (_fixture, tag) => {
    let refused = false;
    tag.observe((event) => {
      if (event.type === "refusal") refused = event.sent === `status ${STATUS.TOKEN_AUD}`;
      if (event.type === "link") refused = false;
    });
    return {
      read: (name, value) => (name === "STATUS" && refused ? put(value.slice(), 1, STATUS.TOKEN_AUD) : value),
    };
  }),
  v20("does not answer a payload without authorization", ["C58"], () => {
    let last = "";
    return {
      frame: (name, frame) => {
        last = name;
        return frame;
      },
      read: (name, value) =>
        name === "STATUS" && last === "DATA" && value[1] === STATUS.STATE
          ? put(value.slice(), 1, STATUS.OK)
          : value,
    };
  }),
  v21("goes on answering after an abort", ["C60"], () => {
    let aborted = false;
    return {
      message: (name, message) => {
        if (name !== "SEC") return message;
        const late = aborted;
        aborted = message[0] === RECORD_KIND.abort;
        if (aborted) return { instead: [] };
        return late ? { instead: [NOT_MESSAGE_2] } : message;
      },
    };
  }),
  v20("shows another payload than was allowed", ["C61"], () => ({
    message: (name, message) => {
      const isOther = name === "DATA" && message.length === OTHER_LABEL.length && !OTHERS.some(is(message));
      return isOther ? LABEL_BYTES : message;
    },
  })),
  v20("takes the chain of a tag for a client's", ["C71"], ({ people, throwAway }) => ({
    message: (name, message) =>
      name === "CERT" && is(message)(concat(...throwAway.wrongUsage.chain.toReversed()))
        ? concat(...people.client.chain.toReversed())
        : message,
  })),
  v20(
    "forgets that it is locked",
    ["C74"],
    reading("STATUS", (value) =>
      value[0] === TAG_STATE.LOCKOUT ? put(value, 0, TAG_STATE.CONNECTED) : value,
    ),
  ),
];

const OTHER_LABEL = encodePayload({ ...TEST_LABEL, licencePlate: "0000242424" });

const is = (message: Bytes) => (other: Bytes) => equalBytes(message, other);

function isUnbound(token: Bytes): boolean {
  try {
    return decodeToken(token).claims.payloadDigest === undefined;
  } catch {
    return false;
  }
}
