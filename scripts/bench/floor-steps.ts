/** The requests that `bench -- floor` and `bench -- scale` make of service and floor alike. */
import { attestationObject, post } from "../../e2e/support/caller.ts";
import type { Server } from "../serve/server.ts";

export interface Side {
  readonly server: Server;
  /** Of its workerd. */
  readonly pid: number;
  /** Where nonces come from. */
  readonly nonces: string;
  readonly refreshTokens: Map<Guest, string>;
  readonly milliseconds: Record<string, number[]>;
  readonly cpu: Record<string, number[]>;
}

export interface Guest {
  readonly headers: Headers;
  /** Somebody who has loaded nothing. */
  readonly stranger: Headers;
  /** The token of a session of its own, which calls nothing else. */
  readonly refreshing: string | undefined;
  /** Gets the guest the next access token, at the service. */
  renew(): Promise<void>;
  readonly baggageId: number;
}

/** Of the development data: a booking that everybody may load and prove. */
export const BOOKING = { recordLocator: "ABC123", surname: "LOVELACE" };
export const ITS_BAG = 1;

/** Who asks what, of which tag. */
export interface Asked {
  readonly guest: Guest;
  readonly tag: string;
  /** What {@link Step.before} came to. */
  readonly prepared?: unknown;
}
export interface Step {
  readonly path: string;
  body(asked: Asked): unknown;
  /** Who asks, if not the guest. */
  by?(guest: Guest): Headers;
  /** Needed before, and not measured. */
  before?(side: Side, asked: Asked): Promise<unknown>;
  /** Reads what later steps need from the answer. */
  after?(side: Side, asked: Asked, answer: Record<string, unknown>): void;
}
export type Headers = Readonly<Record<string, string>>;

const uniqueDeviceId = ({ tag }: Asked) => ({ uniqueDeviceId: tag });
export const ATTACH = "/v2/device-attachments";

/** In the order of a tag's life. Nonces are the service's on both sides. */
export const STEPS: Readonly<Record<string, Step>> = {
  "4 log in": {
    path: "/v2/auth/guest/sessions",
    body: ({ prepared }) => prepared,
    by: ({ headers: { Authorization: _, ...others } }) => others as Headers,
    before: async ({ nonces }) => {
      const nonce = String((await post(nonces, "/v2/auth/nonces")).body.nonce);
      return { nonce, attestationObject: await attestationObject(nonce) };
    },
  },
  refresh: {
    path: "/v2/auth/refresh",
    body: ({ guest, prepared }) => ({ refreshToken: prepared ?? guest.refreshing }),
    by: ({ headers: { Authorization: _, ...others } }) => others as Headers,
    before: async (side, { guest }) => side.refreshTokens.get(guest),
    after: (side, { guest }, { refreshToken }) => side.refreshTokens.set(guest, String(refreshToken)),
  },
  "5 load": { path: "/v2/journeys/from-record-locator", body: () => BOOKING },
  "9 attach": {
    path: ATTACH,
    body: ({ tag, guest }) => ({ device: { uniqueID: tag }, baggageId: guest.baggageId }),
  },
  "10 look up": { path: "/v2/ebt-lookups", body: uniqueDeviceId },
  "8 authorize": {
    path: "/v2/ebt-authorizations",
    body: (asked) => ({ ...uniqueDeviceId(asked), nonce: "AAAAAAAAAAAAAAAAAAAAAA" }),
  },
  "12 unlock": { path: "/v2/ebt-unlocks", body: uniqueDeviceId },
  "11 prove": {
    path: "/v2/ebt-custody-proofs",
    body: (asked) => ({ ...uniqueDeviceId(asked), ...BOOKING }),
    by: ({ stranger }) => stranger,
    before: async ({ server }, { tag, guest }) => {
      const attached = { device: { uniqueID: tag }, baggageId: ITS_BAG };
      await demand(post(server.url, ATTACH, attached, guest.headers), "attach");
    },
  },
};
export const NAMES = Object.keys(STEPS);

/** Everything of a step before its request. */
export async function prepare(side: Side, step: Step, asked: Asked): Promise<Asked> {
  return { ...asked, prepared: await step.before?.(side, asked) };
}

/** The request of a step that is prepared; resolves with how long it took. */
export async function ask(side: Side, name: string, asked: Asked): Promise<number> {
  const step = STEPS[name] as Step;
  const headers = step.by?.(asked.guest) ?? asked.guest.headers;
  const body = step.body(asked);
  const started = performance.now();
  const answer = await demand(post(side.server.url, step.path, body, headers), name);
  const took = performance.now() - started;
  step.after?.(side, asked, answer);
  return took;
}

export async function demand(
  asking: ReturnType<typeof post>,
  name: string,
): Promise<Record<string, unknown>> {
  const { status, body } = await asking;
  if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  return body;
}
