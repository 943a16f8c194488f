/** A client without a page: plain `fetch`, with exactly what the API lists and nothing more. */
import { SignJWT } from "jose";
import {
  type EbtLockLookupResponse,
  endpoints,
  HEADER,
  type Journey,
  type LoginResponse,
} from "../../core/api/index.ts";
import { B2B } from "../../db/demo/values.ts";
import { generateKeys } from "../serve/keys.ts";
import { ADA, JUERGEN, SILE } from "./passenger.ts";

const BOOKINGS = [ADA, JUERGEN, SILE];

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function post(
  url: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    ...(body === undefined
      ? { headers }
      : { headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The body of an answer. Throws unless its status is 200. */
export async function bodyOf(answer: Promise<Answer>): Promise<Answer["body"]> {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

/** SK announces its bookings as it does in operation; again changes nothing. Returns their journeys. */
export async function feed(url: string, bookings: readonly object[]): Promise<readonly Journey[]> {
  const client = { [HEADER.clientKey]: "demo-kiosk-key" };
  const { username, password, secret } = B2B;
  const staff = { ...client, [HEADER.b2bSecret]: secret };
  const login = post(url, endpoints.b2bSession.path, { username, password }, staff);
  const { accessToken } = await bodyOf(login);
  const headers = { ...client, Authorization: `Bearer ${accessToken}` };
  const fed: Journey[] = [];
  for (const booking of bookings) {
    const payload = { airline: "SK", ...booking };
    const answer = post(url, endpoints.journeysFromAirlinePayload.path, payload, headers);
    const { journeys } = await bodyOf(answer);
    fed.push(...(journeys as readonly Journey[]));
  }
  return fed;
}

/** Payload of an attested login: a JWS by a fresh app key over the nonce (no stronger evidence). */
export async function attestationObject(nonce: string): Promise<string> {
  const keys = await generateKeys();
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", keys.publicKey);
  return new SignJWT({
    nonce,
    aud: "taglatch",
    iat: Math.floor(Date.now() / 1000),
    evidence: { fmt: "none" },
  })
    .setProtectedHeader({ alg: "ES256", typ: "ebt-attestation+jwt", jwk: { kty, crv, x, y } as never })
    .sign(keys.privateKey);
}

/** A guest with a session of their own and no part in any journey. */
export class Caller {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  static async guest(url: string): Promise<Caller> {
    // A share of valid nonces is refused on purpose here: ask again, as a client would.
    for (let attempt = 1; ; attempt += 1) {
      const { body } = await post(url, "/v2/auth/nonces");
      const nonce = String(body.nonce);
      const login = await post(url, "/v2/auth/guest/sessions", {
        nonce,
        attestationObject: await attestationObject(nonce),
      });
      if (login.status === 200) return new Caller(url, login.body as unknown as LoginResponse);
      if (attempt === 5 || login.body.errorCode !== "invalid_nonce") throw new Error(JSON.stringify(login));
    }
  }

  constructor(url: string, login: LoginResponse) {
    this.#url = url;
    this.#headers = {
      "X-Source-App-Key": "demo-passenger-key",
      Authorization: `Bearer ${login.accessToken}`,
    };
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return post(this.#url, path, body, { ...this.#headers, ...headers });
  }

  lookup(uniqueDeviceId: string): Promise<EbtLockLookupResponse> {
    return bodyOf(this.post("/v2/ebt-lookups", { uniqueDeviceId }));
  }

  /** Attaches as a caller who has loaded the bag's booking: without it, the lock would be a claim. */
  async attach(uniqueID: string, baggageId: number, tagCertificate?: string): Promise<void> {
    const { recordLocator, surname } = BOOKINGS.find((booking) => booking.baggageId === baggageId) ?? ADA;
    await this.post("/v2/journeys/from-record-locator", { recordLocator, surname });
    const attachment = { device: { uniqueID }, baggageId, ...(tagCertificate && { tagCertificate }) };
    await bodyOf(this.post("/v2/device-attachments", attachment));
  }
}
