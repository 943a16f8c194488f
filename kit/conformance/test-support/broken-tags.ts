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

/** A good tag with something between it and the air. */
export const behind =
  (generation: GattVersion, tampering: (fixture: Fixture, tag: VirtualTag) => Tampering) =>
  async (fixture: Fixture) => {
    const tag = await tagOf(fixture, generation);
    return tampered(tag, tampering(fixture, tag));
  };

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
  {
    name: "has SEC although it does not speak v2.1",
    generation: "2.0",
    caught: ["C01"],
    make: behind("2.0", changedTable(withSec)),
  },
  {
    name: "draws its Database Hash",
    generation: "2.0",
    caught: ["C91"],
    make: behind("2.0", () => {
      let reads = 0;
      return { read: (name, value) => (name === "DATABASE_HASH" ? put(value.slice(), 0, reads++) : value) };
    }),
  },
  {
    name: "cannot notify STATUS",
    generation: "2.0",
    caught: ["C02"],
    make: behind("2.0", changedTable(withRow("STATUS", { notify: false }))),
  },
  {
    name: "takes tokens without response",
    generation: "2.0",
    caught: ["C02"],
    make: behind("2.0", changedTable(withRow("AUTH", { command: true }))),
  },
  {
    name: "sets a reserved flag in INFO",
    generation: "2.0",
    caught: ["C03"],
    make: behind(
      "2.0",
      reading("INFO", (value) => put(value, 9, (value[9] as number) | 0x80)),
    ),
  },
  {
    name: "advertises another name than its id's",
    generation: "2.0",
    caught: ["C04"],
    make: behind("2.0", () => ({ name: "EBT-9999" })),
  },
  {
    name: "says IDLE in STATUS while it is connected",
    generation: "2.0",
    caught: ["C05"],
    make: behind(
      "2.0",
      reading("STATUS", (value) => (value[0] === TAG_STATE.CONNECTED ? put(value, 0, 0) : value)),
    ),
  },
  {
    name: "flags a low battery at 87 %",
    generation: "2.0",
    caught: ["C06"],
    make: behind(
      "2.0",
      reading("INFO", (value) => put(value, 9, (value[9] as number) | 1)),
    ),
  },
  {
    name: "has a battery at 101 %",
    generation: "2.1",
    caught: ["C07"],
    make: behind(
      "2.1",
      reading("LEVEL", () => Uint8Array.of(101)),
    ),
  },
  {
    name: "reveals its serial number in the device information",
    generation: "2.0",
    caught: ["C08"],
    make: (fixture) => tagOf(fixture, "2.0", { model: `Model ${V20_ID}` }),
  },
  {
    name: "lets DATA be read",
    generation: "2.0",
    caught: ["C02", "C09"],
    make: behind("2.0", (fixture, tag) => ({
      ...changedTable(withRow("DATA", { read: true }))(fixture, tag),
      unreadable: () => new Uint8Array(4),
    })),
  },
  {
    name: "does not mind a gap in the sequence of frames",
    generation: "2.1",
    caught: ["C12"],
    make: behind("2.1", () => ({
      frame: (_name, frame) =>
        frame[0] === 0x02 && frame.length === 20 ? put(frame.slice(), 0, 0x01) : frame,
    })),
  },
  {
    name: "is silent about a message that is too large",
    generation: "2.1",
    caught: ["C16"],
    make: behind("2.1", () => ({
      frame: (_name, frame) => (frame[3] === 0xff && frame.length === 5 ? [] : frame),
    })),
  },
  {
    name: "keeps the link after an alert",
    generation: "2.1",
    caught: ["C18"],
    make: (fixture) => tagOf(fixture, "2.1", {}, unlingering()),
  },
  {
    name: "takes a suite although it supports an earlier one",
    generation: "2.1",
    caught: ["C21"],
    make: behind(
      "2.1",
      scripted((message) => suitesOf(message) === 2, NOT_MESSAGE_2),
    ),
  },
  {
    name: "takes message_1 with a byte too many",
    generation: "2.1",
    caught: ["C23"],
    make: behind(
      "2.1",
      scripted((message) => message.length === 38 && message.at(-1) === 0xff, NOT_MESSAGE_2),
    ),
  },
  {
    name: "agrees on a key with a point of low order",
    generation: "2.1",
    caught: ["C24"],
    make: behind(
      "2.1",
      scripted(
        (message) => message.length === 37 && message.slice(4, 36).every((byte) => byte === 0),
        NOT_MESSAGE_2,
      ),
    ),
  },
  {
    name: "has the certificate of another tag",
    generation: "2.1",
    caught: ["C27"],
    make: async (fixture) =>
      tagOf(fixture, "2.1", { credential: await fixture.people.tags.issue("ebt-21-0002") }),
  },
  {
    name: "trusts any client root",
    generation: "2.1",
    caught: ["C28", "C70"],
    make: (fixture) =>
      tagOf(fixture, "2.1", { clientRoots: [fixture.people.clients.root, fixture.throwAway.root] }),
  },
  {
    name: "says it is blank whatever it shows",
    generation: "2.0",
    caught: ["C38"],
    make: behind(
      "2.0",
      reading("INFO", (value) => put(value, 9, (value[9] as number) | 2)),
    ),
  },
  {
    name: "forgets what it committed",
    generation: "2.0",
    caught: ["C39"],
    make: behind(
      "2.0",
      reading("STATUS", (value) =>
        value.length === 13 ? concat(value.slice(0, 5), new Uint8Array(8)) : value,
      ),
    ),
  },
  {
    name: "shows the licence plate in the firmware version",
    generation: "2.1",
    caught: ["C40"],
    make: behind("2.1", (_fixture, tag) => ({
      read: (name, value) => {
        const { content } = tag.snapshot().display;
        return name === "FIRMWARE" && content !== null ? utf8(`1.0 ${content.licencePlate}`) : value;
      },
    })),
  },
  {
    name: "still takes the v2.0 path after a v2.1 commit",
    generation: "2.1",
    caught: ["C42"],
    make: behind("2.1", sayingInsteadOf(STATUS.VERSION, STATUS.OK)),
  },
  {
    name: "takes a token that binds no payload",
    generation: "2.0",
    caught: ["C50"],
    make: behind("2.0", () => {
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
  },
  {
    name: "draws the same nonce for ever",
    generation: "2.0",
    caught: ["C52", "C53", "C68"],
    make: (fixture) =>
      tagOf(fixture, "2.0", {}, { ...hastyWorld(), random: (length) => new Uint8Array(length).fill(9) }),
  },
  {
    name: "reveals in STATUS why it refused a token of v2.1",
    generation: "2.1",
    caught: ["C54"],
    make: behind("2.1", (_fixture, tag) => {
      let refused = false;
      tag.observe((event) => {
        if (event.type === "refusal") refused = event.sent === `status ${STATUS.TOKEN_AUD}`;
        if (event.type === "link") refused = false;
      });
      return {
        read: (name, value) =>
          name === "STATUS" && refused ? put(value.slice(), 1, STATUS.TOKEN_AUD) : value,
      };
    }),
  },
  {
    name: "does not answer a payload without authorization",
    generation: "2.0",
    caught: ["C58"],
    make: behind("2.0", () => {
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
  },
  {
    name: "goes on answering after an abort",
    generation: "2.1",
    caught: ["C60"],
    make: behind("2.1", () => {
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
  },
  {
    name: "shows another payload than was allowed",
    generation: "2.0",
    caught: ["C61"],
    make: behind("2.0", () => ({
      message: (name, message) => {
        const isOther = name === "DATA" && message.length === OTHER_LABEL.length && !OTHERS.some(is(message));
        return isOther ? LABEL_BYTES : message;
      },
    })),
  },
  {
    name: "takes the chain of a tag for a client's",
    generation: "2.0",
    caught: ["C71"],
    make: behind("2.0", ({ people, throwAway }) => ({
      message: (name, message) =>
        name === "CERT" && is(message)(concat(...throwAway.wrongUsage.chain.toReversed()))
          ? concat(...people.client.chain.toReversed())
          : message,
    })),
  },
  {
    name: "forgets that it is locked",
    generation: "2.0",
    caught: ["C74"],
    make: behind(
      "2.0",
      reading("STATUS", (value) =>
        value[0] === TAG_STATE.LOCKOUT ? put(value, 0, TAG_STATE.CONNECTED) : value,
      ),
    ),
  },
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
