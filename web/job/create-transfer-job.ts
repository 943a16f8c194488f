import type { Journey } from "../../sdk/index.ts";
import { isOlderTagOf } from "../state/bags.ts";
import { createTagJob, type TagJob } from "./create-tag-job.ts";
import type { TagJobOptions } from "./run-tag-job.ts";

export interface TransferJobOptions
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
    operate: (client, { deviceId, uniqueDeviceId }, collector, given, move) =>
      client.transferTag(
        {
          ...{ deviceId, uniqueDeviceId, baggageId: bag.baggageId, journeyId: journey.journeyId, move },
          onOtherLabel: () => (move ? "replace" : "keep"),
        },
        collector,
        given,
      ),
    isOld: (baggageId, tag) =>
      booking().some(({ baggage }) =>
        baggage.some((each) => each.baggageId === baggageId && isOlderTagOf(each, tag)),
      ),
    onEnd: (result) => onWritten(bag.baggageId, result.device.uniqueDeviceId),
  });
}
