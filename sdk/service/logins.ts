/** The four ways to open a session (endpoints 1 to 5). */

import type { Configuration } from "../configuration.ts";
import { ServiceError } from "../errors.ts";
import type { SessionRecord } from "../storage.ts";
import type { AttestationEvidence } from "../types.ts";
import { type Http, signJws } from "./http.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Session } from "./session.ts";

/** A nonce lives 300 s and is used once; a refused one is replaced. */
const NONCE_TRIES = 8;

export interface LoginDependencies {
  readonly http: Http;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly clock: ServiceClock;
}

export interface Challenge {
  readonly nonce: string;
  /** RFC 7638 thumbprint of the app's key, base64url. */
  readonly thumbprint: string;
}

export class Logins {
  readonly #dependencies: LoginDependencies;

  constructor(dependencies: LoginDependencies) {
    this.#dependencies = dependencies;
  }

  /** Possession of the key only: the holder of this app's key is the same guest again. */
  guest(session: Session, signal: AbortSignal): Promise<SessionRecord> {
    return this.#attest("guest", session, {}, async () => ({ fmt: "none" }), signal);
  }

  /** `evidence` must be stronger than `none`. */
  attested(
    session: Session,
    email: string,
    evidence: (challenge: Challenge) => Promise<AttestationEvidence>,
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    return this.#attest("attestation", session, { email }, evidence, signal);
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
    claims: { readonly email?: string },
    evidence: (challenge: Challenge) => Promise<{ readonly fmt: string }>,
    signal: AbortSignal,
  ): Promise<SessionRecord> {
    const endpoint = method === "guest" ? "guestSession" : "attestationSession";
    for (let attempt = 1; ; attempt++) {
      const { nonce, attestationObject } = await this.#attestation(session, claims, evidence, signal);
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
    claims: { readonly email?: string },
    evidence: (challenge: Challenge) => Promise<{ readonly fmt: string }>,
    signal: AbortSignal,
  ): Promise<{ nonce: string; attestationObject: string }> {
    const { http, configuration, clock } = this.#dependencies;
    const [key, { issuer }] = await Promise.all([session.key(), configuration(signal)]);
    const { nonce } = await http.send("nonce", {}, { signal, key });
    if (nonce === undefined) throw new ServiceError("invalid_answer", "the service gave no nonce");
    const attestationObject = await signJws(key, "ebt-attestation+jwt", {
      ...claims,
      nonce,
      aud: issuer,
      iat: Math.floor(clock.now() / 1_000),
      evidence: await evidence({ nonce, thumbprint: key.thumbprint }),
    });
    return { nonce, attestationObject };
  }
}
