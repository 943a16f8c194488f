import type { GattVersion } from "../../core/gatt/profile.ts";
import type { Caller } from "../../e2e/support/caller.ts";
import { ADA, JUERGEN, type Passenger } from "../../e2e/support/passenger.ts";
import { expectBlank, expectLabel, expectLocked, expectUnlocked } from "../../e2e/support/tag-checks.ts";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import { en } from "../../web/i18n/en.ts";

/** Who and what a scenario plays with. */
export interface Stage {
  readonly passenger: Passenger;
  readonly tag: VirtualTag;
  /** Another passenger; asks the service about the lock. */
  readonly stranger: Caller;
  shoot(screen: string): Promise<void>;
  step(text: string): void;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly generation: GattVersion;
  /** Throws if the tag's display or the service's answer is not as expected. */
  play(stage: Stage): Promise<void>;
}

async function transfer({ passenger, tag, stranger, shoot, step }: Stage): Promise<void> {
  await shoot("start");
  await passenger.findsJourney(ADA);
  await shoot("journey");
  step("page     put bag 1 on a tag");
  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.transferTitle("Helsinki"));
  await shoot("working");
  await passenger.sees(en.job.doneTitle);
  await shoot("done");
  expectLabel(tag, ADA);
  await expectLocked(tag, stranger);
}

async function lockedTransfer(stage: Stage): Promise<void> {
  const { passenger, tag, stranger, shoot, step } = stage;
  await stranger.attach(tag.id, JUERGEN.baggageId);
  step("service  the tag is locked to another passenger's journey");
  await passenger.findsJourney(ADA);
  await passenger.putsFirstBagOnTag();
  await passenger.asksForProof();
  await shoot("proof");
  step("page     a wrong proof");
  await passenger.proves({ recordLocator: "ZZZZZZ", surname: "NOBODY" });
  await passenger.reads(en.errors.custody_proof_invalid.what);
  await shoot("proof-wrong");
  expectBlank(tag);
  step("page     the right proof");
  await passenger.proves({ ...JUERGEN, surname: "Mueller" });
  await passenger.sees(en.job.doneTitle);
  await shoot("done");
  expectLabel(tag, ADA);
  await expectLocked(tag, stranger);
}

async function clear(stage: Stage): Promise<void> {
  const { passenger, tag, stranger, shoot, step } = stage;
  await passenger.findsJourney(ADA);
  await passenger.putsFirstBagOnTag();
  await passenger.sees(en.job.doneTitle);
  expectLabel(tag, ADA);
  await passenger.goesHome();
  await passenger.opensClearPage();
  await shoot("clear");
  step("page     clear the tag");
  await passenger.clearsTag();
  await passenger.sees(en.clear.doneTitle);
  await shoot("cleared");
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "transfer-2.1", title: "Transfer to a v2.1 tag", generation: "2.1", play: transfer },
  { name: "transfer-2.0", title: "Transfer to a v2.0 tag", generation: "2.0", play: transfer },
  {
    name: "locked-transfer",
    title: "Transfer to a tag locked to another journey, with custody proof",
    generation: "2.1",
    play: lockedTransfer,
  },
  { name: "clear", title: "Clear after the trip", generation: "2.1", play: clear },
];
