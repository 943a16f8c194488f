/** The client certificate (endpoint 7): stored, and renewed when less than a day is left. */
import { EncodingError, fromBase64 } from "../../core/encoding/bytes.ts";
import { jwkThumbprintText, PkiError } from "../../core/pki/certificate.ts";
import { verifyChain } from "../../core/pki/chain.ts";
import { splitDer } from "../../core/pki/pem.ts";
import { EKU_CLIENT } from "../../core/pki/profiles.ts";
import type { Credential } from "../../core/sec/authentication.ts";
import { neverCancelled, orCancelled } from "../abort.ts";
import type { Configuration } from "../configuration.ts";
import { ServiceError } from "../errors.ts";
import type { CertificateRecord, TaglatchStorage } from "../storage.ts";
import type { AppKey } from "./http.ts";
import type { ServiceClock } from "./service-clock.ts";
import type { Api, Session } from "./session.ts";

const RENEW_BEFORE = 24 * 3_600_000;
/** A certificate with less time left than this (milliseconds) is not worth presenting. */
const LEAST = 5 * 60_000;

export interface CertificateDependencies {
  readonly api: Api;
  readonly session: Session;
  readonly database: TaglatchStorage;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly clock: ServiceClock;
}

export class Certificate {
  readonly #dependencies: CertificateDependencies;
  #renewal: Promise<CertificateRecord> | undefined;

  constructor(dependencies: CertificateDependencies) {
    this.#dependencies = dependencies;
  }

  /** Chain (leaf first) and key, good for at least five minutes. Throws ServiceError, ConfigurationError, `cancelled`. */
  async credential(signal: AbortSignal): Promise<Credential & { readonly privateKey: CryptoKey }> {
    const { session } = this.#dependencies;
    // The session comes first: a login may replace the certificate.
    const { key } = await session.grant(signal);
    const { chain } = await orCancelled(signal, this.#current(key));
    return { chain, privateKey: key.privateKey };
  }

  async #current(key: AppKey): Promise<CertificateRecord> {
    const { database, clock } = this.#dependencies;
    const stored = await database.read("certificate");
    const kept = stored?.thumbprint === key.thumbprint ? stored : undefined;
    if (kept !== undefined && kept.notAfter - clock.now() > RENEW_BEFORE) return kept;
    this.#renewal ??= this.#renew(key).finally(() => {
      this.#renewal = undefined;
    });
    try {
      return await this.#renewal;
    } catch (error) {
      // Renewal starts a day early, so that an unreachable service stops no transfer.
      const lost = error instanceof ServiceError && error.afterLostAnswer;
      if (lost && kept !== undefined && kept.notAfter - clock.now() > LEAST) return kept;
      throw error;
    }
  }

  async #renew(key: AppKey): Promise<CertificateRecord> {
    const { api, configuration, database } = this.#dependencies;
    const signal = neverCancelled();
    const [{ certificateChain }, { clientRoots }] = await Promise.all([
      api.call("deviceClientCertificate", {}, { signal }),
      configuration(signal),
    ]);
    const record = await checked(certificateChain, clientRoots, key);
    await database.write("certificate", record);
    return record;
  }
}

/** Endpoint 7 sends intermediate ‖ leaf; from here on the order is leaf first. */
async function checked(
  certificateChain: string,
  anchors: Configuration["clientRoots"],
  key: AppKey,
): Promise<CertificateRecord> {
  try {
    const chain = splitDer(fromBase64(certificateChain)).reverse();
    const leaf = await verifyChain({ chain, anchors, eku: EKU_CLIENT });
    const thumbprint = await jwkThumbprintText(await crypto.subtle.exportKey("jwk", leaf.publicKey));
    if (thumbprint !== key.thumbprint) throw notOurs("the certificate is for another key");
    return { chain, notAfter: leaf.notAfter.getTime(), thumbprint };
  } catch (cause) {
    if (cause instanceof PkiError || cause instanceof EncodingError)
      throw notOurs("the certificate chain is not what tags accept", cause);
    throw cause;
  }
}

function notOurs(message: string, cause?: unknown): ServiceError {
  return new ServiceError("invalid_answer", message, { cause });
}
