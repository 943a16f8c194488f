/** Runs every check of a radio, one after the other, each on a connection of its own. */
import { Bench, type Check, CheckFailure } from "./bench.ts";
import { connectChecks } from "./connect-checks.ts";
import { endChecks } from "./end-checks.ts";
import { operationChecks } from "./operation-checks.ts";
import type { RadioTestTag } from "./radio-test-tag.ts";
import type { RadioToCheck } from "./radio-to-check.ts";

export interface RadioCheckOptions {
  /**
   * The test tag that the radio reaches through a stand-in of its platform's plugin. Without it the radio reaches a real tag:
   * checks that need a fault on purpose are left out.
   */
  readonly tag?: RadioTestTag;
  /** Of the real tag on the table, so that the chooser offers it alone. */
  readonly uniqueDeviceId?: string;
  /** Called as each check ends. */
  readonly onCheck?: (check: RadioCheck) => void;
}

export interface RadioCheck {
  readonly name: string;
  readonly outcome: "passed" | "failed" | "left_out";
  /** With `failed`: what was seen. */
  readonly reason?: string;
}

export interface RadioReport {
  /** None has failed. */
  readonly ok: boolean;
  readonly checks: readonly RadioCheck[];
}

const CHECKS: readonly Check[] = [...connectChecks, ...operationChecks, ...endChecks];

/** The longest check waits for 12 s. */
const PATIENCE = 30_000;

/**
 * Whether a radio (the SDK's `TagRadio`) keeps the rules that transfers rely on: choose, find, connect, discovery, long
 * values, writes, order, a fall in each operation, time limits, cancelling, two at once, close. Takes about a minute.
 * Throws nothing: what a check throws is its failure. In a page, call it from a tap: it opens the chooser once.
 */
export async function checkRadio(radio: RadioToCheck, options: RadioCheckOptions = {}): Promise<RadioReport> {
  const bench = new Bench(radio, options.tag, options.uniqueDeviceId);
  const checks: RadioCheck[] = [];
  for (const check of CHECKS) {
    const isLeftOut = options.tag === undefined && check.real !== true;
    const ended: RadioCheck = isLeftOut
      ? { name: check.name, outcome: "left_out" }
      : await checked(check, bench);
    checks.push(ended);
    options.onCheck?.(ended);
  }
  return { ok: checks.every(({ outcome }) => outcome !== "failed"), checks };
}

async function checked(check: Check, bench: Bench): Promise<RadioCheck> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const give = () => reject(new CheckFailure(`it did not end within ${PATIENCE / 1_000} s`));
    timer = setTimeout(give, PATIENCE);
  });
  try {
    await Promise.race([check.run(bench), late]);
    return { name: check.name, outcome: "passed" };
  } catch (cause) {
    return { name: check.name, outcome: "failed", reason: reasonOf(cause) };
  } finally {
    clearTimeout(timer);
    await bench.clear();
  }
}

/** A failure says what was seen; anything else was thrown by the radio. */
function reasonOf(cause: unknown): string {
  if (cause instanceof CheckFailure) return cause.message;
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return `the radio threw ${typeof code === "string" ? `${code}: ` : ""}${String(cause)}`;
}
