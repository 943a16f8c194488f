/**
 * A service with what the SDK's own logic needs: real proofs, certificates and tokens, a lock that only its holder or a
 * proof removes, and switches that lose, delay or refuse single calls. It does not model the rules of the real service,
 * which have tests of their own.
 */
import {
  type ErrorCode,
  endpoints,
  errorResponse,
  errorStatus,
  type Journey,
  type RequestOf,
} from "../../core/api/index.ts";
import {
  type Bytes,
  concat,
  equalBytes,
  fromBase64Url,
  toBase64,
  toBase64Url,
} from "../../core/encoding/bytes.ts";
import { publicKeyThumbprint } from "../../core/pki/certificate.ts";
import { issueClientLeaf } from "../../core/pki/issue.ts";
import { toPem } from "../../core/pki/pem.ts";
import { foldDeviceId } from "../../core/pki/tag-roots.ts";
import { decodeStatement, type TagStatement } from "../../core/sec/statement.ts";
import { nonceBytes, signToken } from "../../core/sec/token.ts";
import { random } from "../../sim/test-support/parties.ts";
import type { Authorities } from "./authorities.ts";
import { checkJws, thumbprintOf } from "./proofs.ts";

export interface Call {
  readonly path: string;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: each path has its own; tests spoil them, and assert what they read
  readonly body: any;
}

/** What becomes of one call instead of its ordinary answer; `answer()` carries it out. */
export type Interference = (call: Call, answer: () => Promise<Response>) => Promise<Response>;

interface Lock {
  readonly sub: string;
  readonly baggageId: number;
  readonly lost?: boolean;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** What the tag is to sign for a look-up. */
const CHALLENGE = new Uint8Array(16).fill(6);

/** The PIN of everybody there. */
export const STAFF_PIN = "246813";
const PROOF = { recordLocator: "ABC123", surname: "LOVELACE" };

export const JOURNEY: Journey = {
  journeyId: "j-1",
  recordLocator: "K7Q2ZD",
  passenger: { givenName: "JÜRGEN", surname: "MÜLLER" },
  flights: [{ carrier: "LH", number: "401", date: "2026-11-22", from: "JFK", to: "FRA" }],
  baggage: [{ baggageId: 3, licencePlate: "0220654321" }],
  departureAirport: "JFK",
  destinationAirport: "FRA",
  version: 1,
};

export class FakeService {
  readonly calls: Call[] = [];
  readonly locks = new Map<string, Lock>();
  readonly configuration: { tagRoots: string[]; clientKeys: Record<string, string> };
  journey: Journey = JOURNEY;
  /** Access tokens the service still accepts. */
  readonly tokens = new Map<
    string,
    { readonly sub: string; readonly jkt: string; readonly key: CryptoKey }
  >();
  /** Whether a stranger's lock ends by what its tag says. Absent: the service asks no tag. */
  endsLock: ((said: TagStatement) => boolean) | undefined;
  /** Whose label a tag shows, where its statement is asked about. */
  lastCommit: "own" | "other" | undefined;
  /** The caller held the last lock of every tag. */
  hasEnded = false;
  tokenLife = 600;
  /** What answers are dated by, in milliseconds since 1970; undefined where their dates cannot be read. */
  date: (() => number) | undefined = () => Date.now();
  certificateLife: number | undefined;
  readonly #authorities: Authorities;
  readonly #refreshTokens = new Map<string, string>();
  readonly #proofs = new Set<string>();
  readonly #answers = new Map<string, string>();
  readonly #interferences = new Map<string, Interference[]>();

  constructor(authorities: Authorities) {
    this.#authorities = authorities;
    this.configuration = {
      tagRoots: [toPem(authorities.tagRoot)],
      clientKeys: { passenger: "k", kiosk: "kk" },
    };
  }

  /** `interference` meets the next call of `path` (a suffix); several queue up. */
  next(path: string, ...interference: readonly Interference[]): void {
    this.#interferences.set(path, [...(this.#interferences.get(path) ?? []), ...interference]);
  }

  /** How often `path` (a suffix) was called. */
  count(path: string): number {
    return this.calls.filter((call) => call.path.endsWith(path)).length;
  }

  /** Lock the tag to another's journey; {@link PROOF} opens it. */
  lockToStranger(uniqueDeviceId: string): void {
    this.locks.set(foldDeviceId(uniqueDeviceId), { sub: "stranger", baggageId: 1 });
  }

  readonly fetch: typeof fetch = async (input, init) => {
    const response = await this.#respond(input, init);
    if (this.date && !response.headers.has("Date"))
      response.headers.set("Date", new Date(this.date()).toUTCString());
    return response;
  };

  readonly #respond: typeof fetch = async (input, init) => {
    const url = new URL(String(input));
    const headers = new Headers(init?.headers);
    if (url.pathname === "/.well-known/ebt-configuration") return Response.json(this.#configuration());
    const body: unknown = JSON.parse(String(init?.body));
    const call = { path: url.pathname, headers, body };
    this.calls.push(call);
    const answer = async () => {
      try {
        return Response.json(await this.#answer(call, url.href), { headers: { "X-Request-Id": "r-1" } });
      } catch (error) {
        if (error instanceof Refusal) return refusalResponse(error.code);
        throw error;
      }
    };
    const key = [...this.#interferences.keys()].find((path) => call.path.endsWith(path)) ?? "";
    const interference = this.#interferences.get(key)?.shift();
    return interference === undefined ? answer() : interference(call, answer);
  };

  #configuration() {
    return {
      issuer: "taglatch",
      environment: "development",
      ...this.configuration,
      clientRoots: [toPem(this.#authorities.clientRoot)],
      tokenKeys: { keys: [] },
      gatt: {},
      locales: [],
      limits: {},
    };
  }

  async #answer(call: Call, url: string): Promise<unknown> {
    if (call.headers.get("X-Source-App-Key") === null) throw new Refusal("unauthorized_client");
    const bearer = call.headers.get("Authorization")?.replace("Bearer ", "");
    const proof = await checkJws(call.headers.get("DPoP") ?? "");
    const { htu, jti = "", ath } = proof.claims;
    const expected = bearer && toBase64Url(await sha256(bearer));
    if (htu !== url || this.#proofs.has(jti) || ath !== expected) throw new Refusal("invalid_dpop_proof");
    this.#proofs.add(jti);
    switch (call.path) {
      case endpoints.nonce.path:
        return { nonce: "n-1" };
      case endpoints.guestSession.path:
      case endpoints.attestationSession.path:
        return this.#login(await checkJws(call.body.attestationObject));
      case endpoints.federatedSession.path:
      case endpoints.b2bSession.path:
        return this.#login(proof);
      case endpoints.refresh.path:
        return this.#refresh(call.body.refreshToken, proof);
    }
    const session = this.tokens.get(bearer ?? "");
    if (session === undefined || session.jkt !== (await thumbprintOf(proof.jwk)))
      throw new Refusal("unauthorized_token");
    return this.#once(call, () => this.#bearer(call, session));
  }

  /** Idempotency-Key: the stored answer again. */
  async #once(call: Call, work: () => Promise<unknown>): Promise<unknown> {
    const key = call.headers.get("Idempotency-Key");
    const stored = key === null ? undefined : this.#answers.get(key);
    if (stored !== undefined) return JSON.parse(stored);
    const answer = await work();
    if (key !== null) this.#answers.set(key, JSON.stringify(answer));
    return answer;
  }

  async #bearer({ path, body }: Call, { sub, key }: { sub: string; key: CryptoKey }): Promise<unknown> {
    const device = foldDeviceId(body.uniqueDeviceId ?? body.device?.uniqueID ?? "");
    const lock = this.locks.get(device);
    const heldByOther = lock !== undefined && lock.sub !== sub;
    switch (path) {
      case endpoints.deviceClientCertificate.path:
        return { certificateChain: await this.#certificate(key, sub) };
      case endpoints.ebtLookup.path:
        return {
          ...seenBy(lock, heldByOther),
          ...(heldByOther && body.tagCertificate && this.#challenge()),
          ...this.#end(),
        };
      case endpoints.ebtCustodyProof.path: {
        const right = body.recordLocator === PROOF.recordLocator && body.surname === PROOF.surname;
        if (lock === undefined || !right) throw new Refusal("custody_proof_invalid");
        this.locks.delete(device);
        return { uniqueDeviceId: body.uniqueDeviceId, locked: false };
      }
      case endpoints.ebtAuthorization.path:
        if (heldByOther && !this.#isOver(body.tagStatement)) throw new Refusal("custody_proof_required");
        if (heldByOther) this.locks.delete(device);
        return this.#grant(body, key);
      case endpoints.deviceAttachment.path:
        if (heldByOther) throw new Refusal("device_locked");
        return this.#attach(body, device, sub);
      case endpoints.ebtUnlock.path:
        if (heldByOther) throw new Refusal("not_lock_holder");
        this.locks.delete(device);
        return { uniqueDeviceId: body.uniqueDeviceId, locked: false };
      case endpoints.lockRelease.path:
        if (heldByOther) this.#refuseRelease(body.tagStatement);
        this.locks.delete(device);
        return { uniqueDeviceId: body.uniqueDeviceId, locked: false };
      case endpoints.logout.path:
        this.tokens.clear();
        return { loggedOut: true };
      default:
        return path === endpoints.staffCheck.path ? staffChecked(body.staff) : this.#journeys(path, body);
    }
  }

  #attach({ device: { uniqueID }, baggageId }: Call["body"], device: string, sub: string) {
    this.locks.set(device, { sub, baggageId });
    const lockedAt = new Date().toISOString();
    return { uniqueDeviceId: uniqueID, baggageId, journeyId: "j-1", locked: true, lockedAt };
  }

  async #grant(body: Call["body"], key: CryptoKey) {
    const transactionToken = toBase64Url(await this.#token(body, key));
    return { transactionToken, ...(body.tagStatement && { lastCommit: this.lastCommit }) };
  }

  #end() {
    return this.hasEnded ? { lockEnded: { reason: "staff", at: new Date(0).toISOString() } } : {};
  }

  #challenge() {
    return this.endsLock === undefined ? {} : { tagChallenge: toBase64Url(CHALLENGE) };
  }

  /** Whether the tag's statement, over our challenge, ends the lock. */
  #isOver(tagStatement: string | undefined): boolean {
    if (tagStatement === undefined || this.endsLock === undefined) return false;
    const { statement } = decodeStatement(fromBase64Url(tagStatement));
    const { challenge } = statement;
    return challenge !== undefined && equalBytes(challenge, CHALLENGE) && this.endsLock(statement);
  }

  /** With `endsLock`, the lock is another airline's. */
  #refuseRelease(tagStatement: string | undefined): void {
    if (this.endsLock !== undefined && !this.#isOver(tagStatement)) throw new Refusal("insufficient_scope");
  }

  #journeys(path: string, body: Call["body"]): unknown {
    switch (path) {
      case endpoints.journeyFromRecordLocator.path:
      case endpoints.journeyFromBcbp.path:
        return { ...this.journey, companions: [] };
      case endpoints.journeys.path:
        return { journeys: [this.journey] };
      case `/v2/journeys/${this.journey.journeyId}`:
        return this.journey;
      case `/v2/journeys/${this.journey.journeyId}/baggage-tags`: {
        const bag = { baggageId: 90 + this.journey.baggage.length, licencePlate: body.lpn ?? "0220200000" };
        this.journey = { ...this.journey, baggage: [...this.journey.baggage, bag] };
        return this.journey;
      }
      default:
        throw new Refusal("not_found");
    }
  }

  async #login(signed: Awaited<ReturnType<typeof checkJws>>): Promise<unknown> {
    const sub = await thumbprintOf(signed.jwk);
    const accessToken = `a-${crypto.randomUUID()}`;
    const refreshToken = `r-${crypto.randomUUID()}`;
    this.tokens.set(accessToken, { sub, jkt: sub, key: signed.key });
    this.#refreshTokens.set(refreshToken, sub);
    return {
      accessToken,
      tokenType: "Bearer",
      expiresIn: this.tokenLife,
      refreshToken,
      refreshExpiresIn: 86_400,
    };
  }

  async #refresh(refreshToken: string, proof: Awaited<ReturnType<typeof checkJws>>): Promise<unknown> {
    if (!this.#refreshTokens.delete(refreshToken)) throw new Refusal("invalid_refresh_token");
    return this.#login(proof);
  }

  /** Ends every session: neither access nor refresh tokens are accepted any more. */
  revoke(): void {
    this.tokens.clear();
    this.#refreshTokens.clear();
  }

  async #certificate(publicKey: CryptoKey, sub: string): Promise<string> {
    const { intermediate } = this.#authorities;
    // An early issue date makes a certificate that ends soon.
    const age = this.certificateLife === undefined ? 0 : 7 * 86_400_000 - this.certificateLife;
    const leaf = await issueClientLeaf({
      issuer: intermediate,
      commonName: sub,
      publicKey,
      serial: random(16),
      now: new Date(Date.now() - age),
    });
    return toBase64(concat(intermediate.certificate, leaf));
  }

  async #token(body: RequestOf<"ebtAuthorization">, key: CryptoKey): Promise<Bytes> {
    const iat = Math.floor(Date.now() / 1_000);
    return signToken(
      {
        iss: "taglatch",
        aud: body.uniqueDeviceId,
        iat,
        exp: iat + 120,
        ttl: 120,
        cti: random(8),
        nonce: await nonceBytes(body.nonce),
        cnfSpkiSha256: await publicKeyThumbprint(key),
        ...(body.payloadDigest && { payloadDigest: fromBase64Url(body.payloadDigest) }),
        ...(body.gattVersion && { version: body.gattVersion }),
        ...(body.operation && { operation: body.operation }),
        ...(body.channelBinding && { channelBinding: fromBase64Url(body.channelBinding) }),
      },
      this.#authorities.tokenKey,
    );
  }
}

export function refusalResponse(code: ErrorCode, headers: Record<string, string> = {}): Response {
  return Response.json(errorResponse(code), { status: errorStatus(code), headers });
}

/** Refuses one call. */
export const refuse =
  (code: ErrorCode, headers: Record<string, string> = {}): Interference =>
  async () =>
    refusalResponse(code, headers);

/** The request never arrives. */
export const unreachable: Interference = () => Promise.reject(new TypeError("Failed to fetch"));

/** The request is carried out, its answer lost. */
export const loseAnswer: Interference = async (_call, answer) => {
  await answer();
  throw new TypeError("Failed to fetch");
};

async function sha256(text: string): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** What a look-up says of `lock`, to its holder or to a stranger. */
function staffChecked(staff: RequestOf<"staffCheck">["staff"]): unknown {
  if (staff !== undefined && staff.pin !== STAFF_PIN) throw new Refusal("invalid_credentials");
  return { pinRequired: true };
}

const seenBy = (lock: Lock | undefined, heldByOther: boolean) => ({
  locked: lock !== undefined,
  sameTravelPlan: lock !== undefined && !heldByOther,
  requiresCustodyProof: heldByOther,
  ...(lock && !heldByOther && { attachedBaggageId: lock.baggageId }),
  ...(lock?.lost && { lost: true }),
  ...(heldByOther && { hints: { maskedSurname: "L•••••", maskedRecordLocator: "A•••••" } }),
});
