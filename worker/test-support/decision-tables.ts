import { describe, expect, it } from "vitest";
import rules from "../../docs/rules.md?raw";
import { decideAttachment } from "../tags/attach.ts";
import type { AttachmentFacts } from "../tags/attachment-facts.ts";
import type { Lock } from "../tags/facts.ts";
import type { Decision } from "../tags/operation.ts";
import type { Caller } from "../tags/rules.ts";
import type { Report } from "../tags/tag-statement.ts";
import { decideUnlock } from "../tags/unlock.ts";
import { factsOf, lockOf, NO_REPORT, PASSENGER, TAG } from "./decision-facts.ts";

/**
 * The decision tables of docs/rules.md §5: each row is a case, and the document shows the same rows. An answer is the outcome,
 * then the events that the audit log records, then `lastCommit`.
 */

export interface Given {
  readonly by?: Caller;
  readonly facts?: Partial<AttachmentFacts>;
  readonly report?: Report;
}
export type Case<More = object> = readonly [when: string, given: Given & More, answer: string];

export const OTHERS = lockOf({ planId: "other", holderSub: "other", airline: "LH" });
export const CLAIM = lockOf({ entitled: false, planId: "other", holderSub: "other", airline: "LH" });
export const locked = (lock: Lock, more: Partial<AttachmentFacts> = {}): Partial<AttachmentFacts> => ({
  locks: [lock],
  ...more,
});

function answerOf({ outcome, after, earlier, value }: Decision<unknown>): string {
  const events = after.audit.map(({ event }) => `\`${event}\``);
  const status = earlier !== undefined ? "the first answer" : outcome === "ok" ? "200" : `\`${outcome}\``;
  const { lastCommit } = (value ?? {}) as { readonly lastCommit?: string };
  return [status, ...new Set(events), ...(lastCommit === undefined ? [] : [lastCommit])].join(" · ");
}

/** The rows of the table below the line `title` of the document. */
export function documented(title: string): readonly string[] {
  const lines = rules.slice(rules.indexOf(title)).split("\n");
  const table = lines.slice(lines.findIndex((line) => line.startsWith("|---")) + 1);
  return table.slice(
    0,
    table.findIndex((line) => !line.startsWith("|")),
  );
}

export function table<More>(
  title: string,
  cases: readonly Case<More>[],
  decide: (given: Given & More) => Decision<unknown>,
) {
  describe(title, () => {
    it.each(cases)("%s", (_, given, answer) => {
      expect(answerOf(decide(given))).toBe(answer);
    });
    it("is what docs/rules.md shows", () => {
      expect(documented(title)).toEqual(cases.map(([when, , answer]) => `| ${when} | ${answer} |`));
    });
  });
}

export const requestOf = ({ by = PASSENGER, report = NO_REPORT }: Given) => ({
  ...{ caller: by, report, requestId: "request" },
});

/** An attachment of bag 1 to the tag, by its id unless `device` has other names. */
export interface Attaching extends Given {
  readonly device?: Parameters<typeof decideAttachment>[0]["input"]["device"];
}
export const withPlans = ({ by, facts }: Given) => factsOf({ plans: by?.plans ?? PASSENGER.plans, ...facts });
export const attached = (given: Attaching) =>
  decideAttachment(
    {
      ...requestOf(given),
      input: { device: given.device ?? { uniqueID: TAG }, baggageId: 1 },
    },
    withPlans(given),
  );
export const removed = (given: Given) =>
  decideUnlock({ ...requestOf(given), input: { uniqueDeviceId: TAG, forBaggageId: 1 } }, withPlans(given));
export const lockIn = ({ after }: Decision) => after.locks[TAG];
export const tagIn = ({ after }: Decision) => after.devices[TAG];
