/** The four ways to open a session (endpoints 1 to 5). */

import { concat, copyBytes, fromBase64Url, toBase64Url, utf8 } from "../../core/encoding/bytes.ts";
import type { TaglatchConfig } from "../api.ts";
import type { Configuration } from "../configuration.ts";
import { ServiceError } from "../errors.ts";
import type { SessionRecord } from "../storage.ts";
import type { AppEvidence, AttestationChallenge } from "../types.ts";
import { type Http, signJws } from "./http.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { OwnLogin, Session } from "./session.ts";

/** A nonce lives 300 s and is used once; a refused one is replaced. */
const NONCE_TRIES = 8;

export interface LoginDependencies {
  readonly http: Http;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly clock: ServiceClock;
}

/** What a statement says beside its nonce. */
interface Statement {
  readonly email?: string;
  readonly evidence: { readonly fmt: string };
}
type MakeStatement = (challenge: AttestationChallenge) => Promise<Statement>;

export class Logins {
  readonly #dependencies: LoginDependencies;

  constructor(dependencies: LoginDependencies) {
    this.#dependencies = dependencies;
  }

  /** Possession of the key only: the holder of this app's key is the same guest again. */
  guest(session: Session, signal: AbortSignal): Promise<SessionRecord> {
    return this.#attest("guest", session, async () => ({ evidence: { fmt: "none" } }), signal);
  }

  /** The evidence must be stronger than `none`. */
  attested(
    session: Session,
    make: (challenge: AttestationChallenge) => Promise<AppEvidence>,
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    return this.#attest("attestation", session, make, signal);
  }

  federated(session: Session, token: string, signal: AbortSignal): Promise<SessionRecord> {
    return session.login("federated", "federatedSession", { token }, { signal });
  }

  b2b(
    session: Session,
    credentials: { readonly username: string; readonly password: string; readonly b2bSecret: string },
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    const { username, password, b2bSecret } = credentials;
    return session.login("b2b-secret", "b2bSession", { username, password }, { signal, b2bSecret });
  }

  async #attest(
    method: "guest" | "attestation",
    session: Session,
    make: MakeStatement,
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    const endpoint = method === "guest" ? "guestSession" : "attestationSession";
    for (let attempt = 1; ; attempt++) {
      const { nonce, attestationObject } = await this.#attestation(session, make, signal);
      try {
        return await session.login(method, endpoint, { nonce, attestationObject }, { signal });
      } catch (error) {
        // After a lost answer the nonce may be burnt as well.
        const burnt =
          error instanceof ServiceError && (error.code === "invalid_nonce" || error.afterLostAnswer);
        if (!burnt || attempt === NONCE_TRIES) throw error;
      }
    }
  }

  async #attestation(
    session: Session,
    make: MakeStatement,
    signal: AbortSignal,
  ): Promise<{ nonce: string; attestationObject: string }> {
    const { http, configuration, clock } = this.#dependencies;
    const [key, { issuer }] = await Promise.all([session.key(), configuration(signal)]);
    const { nonce } = await http.send("nonce", {}, { signal, key });
    if (nonce === undefined) throw new ServiceError("invalid_answer", "the service gave no nonce");
    const { thumbprint } = key;
    const { email, evidence } = await make({ nonce, thumbprint, digest: await digestOf(nonce, thumbprint) });
    const attestationObject = await signJws(key, "ebt-attestation+jwt", {
      ...(email !== undefined && { email }),
      nonce,
      aud: issuer,
      iat: Math.floor(clock.now() / 1_000),
      evidence,
    });
    return { nonce, attestationObject };
  }
}

/** SHA-256 of the nonce's UTF-8 and the raw thumbprint (rules §3), base64url. */
async function digestOf(nonce: string, thumbprint: string): Promise<string> {
  const about = concat(utf8(nonce), fromBase64Url(thumbprint));
  return toBase64Url(copyBytes(await crypto.subtle.digest("SHA-256", about)));
}

/** How a passenger signs in without a call for it. */
export function ownLogin(logins: Logins, evidence?: TaglatchConfig["evidence"]): OwnLogin {
  if (evidence === undefined)
    return { methods: ["guest"], open: (session, signal) => logins.guest(session, signal) };
  // Who was a guest before the app brought evidence goes on by it.
  return {
    methods: ["guest", "attestation"],
    open: (session, signal) => logins.attested(session, evidence, signal),
  };
}
