/** What transfer and clear are given: the service, the outbox, tags, and the host's settings. */

import type { Configuration } from "../configuration.ts";
import { OperationError } from "../errors.ts";
import type { Outbox } from "../outbox.ts";
import type { Api } from "../service/api.ts";
import type { Certificate } from "../service/certificate.ts";
import type { Links } from "../tag/links.ts";
import type { ClearTagRequest, CustodyProofCollector } from "../types.ts";
import type { Run } from "./operation.ts";
import type { RecordedHandshake } from "./recorded-handshake.ts";
import { TagVisit } from "./tag-visit.ts";

export interface OperationSettings {
  readonly custodyProofCollector: CustodyProofCollector | undefined;
  readonly maxCustodyProofAttempts: number;
  readonly showLocator: boolean;
  readonly onHandshake: ((recorded: RecordedHandshake) => void) | undefined;
}

export interface ContextParts {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly links: Links;
  readonly certificate: Certificate;
  readonly configuration: (signal: AbortSignal) => Promise<Configuration>;
  readonly settings: OperationSettings;
}

export class OperationContext {
  readonly api: Api;
  readonly outbox: Outbox;
  readonly settings: OperationSettings;
  readonly #parts: ContextParts;
  /** SUITES_R by device id: a tag without our first suite is not asked for it twice. */
  readonly #suites = new Map<string, readonly number[]>();

  constructor(parts: ContextParts) {
    this.#parts = parts;
    this.api = parts.api;
    this.outbox = parts.outbox;
    this.settings = parts.settings;
  }

  /** Begins a visit; session and certificate are prepared from now on, while the radio connects. */
  visit<Value>({ deviceId, uniqueDeviceId }: ClearTagRequest, { progress, signal }: Run<Value>): TagVisit {
    if (uniqueDeviceId.trim() === "")
      throw new OperationError("invalid_request", "uniqueDeviceId is missing");
    const { links } = this.#parts;
    const preparation = this.prepare(signal);
    preparation.catch(() => undefined);
    return new TagVisit({
      links,
      progress,
      signal,
      preparation,
      suites: this.#suites,
      onHandshake: this.settings.onHandshake,
      deviceId,
      uniqueDeviceId,
    });
  }

  /** Trust anchors, session, key and certificate. Throws ConfigurationError, ServiceError, `cancelled`. */
  async prepare(signal: AbortSignal) {
    const { configuration, certificate } = this.#parts;
    const [trusted, credential] = await Promise.all([configuration(signal), certificate.credential(signal)]);
    return { configuration: trusted, credential };
  }
}
