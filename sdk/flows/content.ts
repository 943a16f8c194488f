/** What is written to the tag, and how it is bound to the token (rules §6, approved content). */
import { BagError } from "../../core/bag/errors.ts";
import { encodePayload, payloadDigest, type TicketPayload } from "../../core/bag/payload.ts";
import { clearPayload, ticketPayload } from "../../core/bag/ticket-payload.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import { OperationError, ServiceError } from "../errors.ts";
import type { Journey } from "../records.ts";
import type { Api } from "../service/session.ts";
import type { TransferTagRequest } from "../types.ts";

export interface Content {
  readonly operation: "write" | "clear";
  readonly payload: Bytes;
  /** SHA-256 of `payload`. */
  readonly digest: Bytes;
  /** Sent along so that the service approves the label; absent where the host made it. */
  readonly approvedBag?: number;
}

/** Content that can be made again after the journey has changed at the service. */
export interface ContentSource {
  load(signal: AbortSignal): Promise<Content>;
  readonly reloadable: boolean;
}

/** The empty label. */
export const clearContent: ContentSource = {
  reloadable: false,
  load: () => encoded("clear", clearPayload),
};

/**
 * The label of the request: the host's own, one made from the host's journey, or one made from the service's.
 */
export function transferContent(
  request: TransferTagRequest,
  api: Api,
  { showLocator }: { readonly showLocator: boolean },
): ContentSource {
  const { displayTicket, journey, baggageId, journeyId } = request;
  if (displayTicket !== undefined)
    return { reloadable: false, load: () => encoded("write", () => displayTicket) };
  const labelled = (of: Journey) =>
    encoded("write", () => ticketPayload(of, bagOf(of, baggageId), { showLocator }));
  if (journey !== undefined) return { reloadable: false, load: () => labelled(journey) };
  return {
    reloadable: true,
    async load(signal) {
      const loaded = await api.call("journey", {}, { signal, params: { journeyId } });
      return { ...(await labelled(loaded)), approvedBag: baggageId };
    },
  };
}

function bagOf(journey: Journey, baggageId: number): Journey["baggage"][number] {
  const bag = journey.baggage.find((each) => each.baggageId === baggageId);
  if (bag === undefined) throw new ServiceError("baggage_not_found", "the journey has no such bag");
  return bag;
}

async function encoded(operation: Content["operation"], ticket: () => TicketPayload): Promise<Content> {
  try {
    const payload = encodePayload(ticket());
    return { operation, payload, digest: await payloadDigest(payload) };
  } catch (cause) {
    if (cause instanceof BagError)
      throw new OperationError("invalid_request", "the label does not fit a tag", { cause });
    throw cause;
  }
}
