import type { GattVersion } from "../../core/gatt/profile.ts";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import { en } from "../../web/i18n/en.ts";
import type { Caller } from "../drivers/caller.ts";
import { ADA, JUERGEN, type Passenger, SILE } from "../drivers/passenger.ts";
import { expectBlank, expectLabel, expectLocked, expectUnlocked } from "../drivers/tag-checks.ts";

/** What a scenario acts on. */
export interface ScenarioContext {
  readonly tag: VirtualTag;
  /** A guest without a booking, who looks up the tag's lock. */
  readonly stranger: Caller;
  /** Opens the page in a new browser profile, runs `act` there with the tag in range, and closes it. */
  visit(act: (passenger: Passenger) => Promise<void>): Promise<void>;
  /** Takes a screenshot of the open page. */
  shoot(screen: string): Promise<void>;
  step(text: string): void;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The scenario is played once with a tag of each. */
  readonly generations: readonly GattVersion[];
  /** Throws if the tag's display or the service's answer differs from what is expected. */
  play(context: ScenarioContext): Promise<void>;
}

async function transfer({ tag, stranger, visit, shoot, step }: ScenarioContext): Promise<void> {
  await visit(async (passenger) => {
    await shoot("start");
    await passenger.findsJourney(ADA);
    await shoot("journey");
    step("page     put bag 1 on a tag");
    await passenger.putsFirstBagOnTag();
    await passenger.sees(en.job.transferTitle);
    await shoot("working");
    await passenger.sees(en.job.doneTitle);
    await shoot("done");
  });
  expectLabel(tag, ADA);
  await expectLocked(tag, stranger);
}

async function lockedTransfer({ tag, stranger, visit, shoot, step }: ScenarioContext): Promise<void> {
  step("page     another passenger puts their bag on the tag");
  await visit((owner) => owner.writesFirstBag(JUERGEN));
  expectLabel(tag, JUERGEN);
  await expectLocked(tag, stranger);
  await visit(async (passenger) => {
    await passenger.beginsFirstBag(ADA);
    await passenger.asksForProof();
    await shoot("proof");
    step("page     a wrong proof");
    await passenger.proves({ recordLocator: "ZZZZZZ", surname: "ABSENT" });
    await passenger.reads(en.errors.custody_proof_invalid.what);
    await shoot("proof-wrong");
    expectLabel(tag, JUERGEN);
    step("page     the right proof");
    await passenger.proves({ ...JUERGEN, surname: "Mueller" });
    await passenger.sees(en.job.doneTitle);
    await shoot("done");
  });
  expectLabel(tag, ADA);
  await expectLocked(tag, stranger);
}

async function clear({ tag, stranger, visit, shoot, step }: ScenarioContext): Promise<void> {
  await visit(async (passenger) => {
    await passenger.writesFirstBag(SILE);
    expectLabel(tag, SILE);
    await passenger.goesHome();
    await passenger.opensClearPage();
    await passenger.sees(en.passenger.tags.title);
    await shoot("clear");
    step("page     clear the tag");
    await passenger.clearsTagEarly();
    await passenger.sees(en.clear.doneTitle);
    await shoot("cleared");
  });
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
}

export const SCENARIOS: readonly Scenario[] = [
  { name: "transfer-2.1", title: "Transfer to a v2.1 tag", generations: ["2.1"], play: transfer },
  { name: "transfer-2.0", title: "Transfer to a v2.0 tag", generations: ["2.0"], play: transfer },
  {
    name: "locked-transfer",
    title: "Transfer to a tag locked to another journey, with custody proof",
    generations: ["2.1", "2.0"],
    play: lockedTransfer,
  },
  { name: "clear", title: "Clear after the trip", generations: ["2.1"], play: clear },
];
