import type { DeviceAttachmentRequest } from "../../core/api/index.ts";
import { type DeviceNames, deviceNames } from "../devices/identity.ts";
import type { AttachmentFacts } from "./attachment-facts.ts";
import type { Bag } from "./facts.ts";
import type { DecisionRequest } from "./operation.ts";
import { type Caller, isEntitled } from "./rules.ts";
import type { Report } from "./tag-statement.ts";

/** An attempt to attach a bag, as its rules see it. */
export interface Attempt {
  readonly caller: Caller;
  readonly facts: AttachmentFacts;
  readonly names: DeviceNames;
  readonly report: Report;
  readonly requestId: string;
  readonly baggageId: number;
  /** The bag named, if it exists. */
  readonly named: Bag | undefined;
  readonly entitled: boolean;
  /** Whether the caller may attach the bag at all. */
  readonly isBagFound: boolean;
}

export type AttachmentRequest = Pick<
  DecisionRequest<DeviceAttachmentRequest>,
  "caller" | "input" | "report" | "requestId"
>;

export function attemptOf(
  { caller, input, report, requestId }: AttachmentRequest,
  facts: AttachmentFacts,
): Attempt {
  const [named] = facts.bags;
  const entitled = isEntitled(caller, named);
  const isPast = named === undefined || named.endsAt <= caller.now;
  return {
    ...{ caller, facts, report, requestId, named, entitled },
    ...{ names: deviceNames(input.device), baggageId: input.baggageId },
    isBagFound: !isPast && (entitled || !caller.mustBeEntitled),
  };
}
