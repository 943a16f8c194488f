import { type ClearTagRequest, type Journey, OtherBagError } from "../../sdk/index.ts";
import { isOlderTagOf } from "../state/bags.ts";
import { createTagJob, type TagJob } from "./create-tag-job.ts";
import type { TagJobOptions } from "./run-tag-job.ts";

interface TransferJobOptions
  extends Pick<TagJobOptions, "load" | "outbox" | "only" | "fits" | "onLeft" | "tries"> {
  readonly journey: Journey;
  readonly bag: Journey["baggage"][number];
  /** The passenger's own journey, then those of the same booking. */
  readonly booking: () => readonly Journey[];
  /** Called when the bag is on this tag, whether or not the service knows. */
  readonly onWritten: (baggageId: number, uniqueDeviceId: string) => void;
}

/**
 * Puts a bag on a tag. A confirmation that had to wait completes the job as soon as the outbox has sent it.
 */
export function createTransferJob(options: TransferJobOptions): TagJob {
  const { journey, bag, booking, onWritten, ...rest } = options;
  return createTagJob({
    ...rest,
    kind: "transfer",
    operate: (client, { deviceId, uniqueDeviceId }, collector, operation, move) =>
      client.transferTag(
        {
          ...{ deviceId, uniqueDeviceId, baggageId: bag.baggageId, journeyId: journey.journeyId, move },
          onOtherLabel: () => (move ? "replace" : "keep"),
        },
        collector,
        operation,
      ),
    isOld: (baggageId, tag) =>
      booking().some(({ baggage }) =>
        baggage.some((each) => each.baggageId === baggageId && isOlderTagOf(each, tag)),
      ),
    onEnd: (result) => onWritten(bag.baggageId, result.device.uniqueDeviceId),
  });
}

interface ClearJobOptions extends Pick<TagJobOptions, "load" | "outbox" | "only"> {
  /** The open booking: proves custody if the tag is locked to it. */
  readonly booking?: () => Journey | undefined;
  /** The bag that still needs this tag's label: the person is asked once before the clear. */
  readonly needed?: (uniqueDeviceId: string) => number | undefined;
  /** Called when the tag is blank, whether or not the service knows. */
  readonly onCleared: (uniqueDeviceId: string) => void;
}

/**
 * Empties a tag and releases its lock. A release that had to wait completes the job as soon as the outbox has
 * sent it.
 */
export function createClearJob({ onCleared, booking, needed, ...rest }: ClearJobOptions): TagJob {
  return createTagJob({
    ...rest,
    kind: "clear",
    // Another tag's name may end alike: the SDK refuses it as `wrong_tag`.
    operate: async (client, { deviceId, uniqueDeviceId }, _collector, operation, isAsked) => {
      const bag = isAsked ? undefined : needed?.(uniqueDeviceId);
      if (bag !== undefined) return { ok: false, error: new OtherBagError(bag) };
      return client.clearTag(
        { deviceId, uniqueDeviceId: rest.only?.() ?? uniqueDeviceId, ...proofBy(booking?.()) },
        operation,
      );
    },
    onEnd: (result) => onCleared(result.device.uniqueDeviceId),
  });
}

const proofBy = (
  journey: Journey | undefined,
): Pick<Partial<ClearTagRequest>, "recordLocator" | "custodyProofSurname"> =>
  journey ? { recordLocator: journey.recordLocator, custodyProofSurname: journey.passenger.surname } : {};
