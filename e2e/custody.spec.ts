import { ADA, asHeading, JUERGEN } from "../scripts/drivers/passenger.ts";
import {
  countConnections,
  expectBlank,
  expectLabel,
  expectLocked,
  expectUnlocked,
} from "../scripts/drivers/tag-checks.ts";
import { en } from "../web/i18n/en.ts";
import { expect, test } from "./support/test.ts";

// Each locator tried has a budget of its own at the service: two that no other story uses, and that begin as Jürgen's does.
const WRONG = { recordLocator: "KWRON1", surname: "ABSENT" };
const WRONG_EACH_TIME = { recordLocator: "KWRON2", surname: "ABSENT" };

// The tag is locked to Jürgen's journey; Ada stands at it.

test("two wrong proofs and a right one let the transfer go on over the same connection", async ({
  openLocked,
  passenger,
  stranger,
}) => {
  const tag = await openLocked();
  const connections = countConnections(tag);
  await passenger.beginsFirstBag(ADA);

  await expect(passenger.dialog).toContainText("\u2066JFK\u2069 – \u2066FRA\u2069");
  await expect(passenger.dialog).toContainText("K•••••");
  await expect(passenger.dialog).toContainText("M•••••");
  await passenger.proves(ADA);
  await expect(passenger.dialog).toContainText(en.passenger.hint.other("K"));
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(3));
  await passenger.proves(WRONG);
  await expect(passenger.dialog).toContainText(en.errors.custody_proof_invalid.what);
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(2));
  await passenger.proves({ ...JUERGEN, surname: "LOVELACE" });
  await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(1));
  expectBlank(tag);

  await passenger.proves({ ...JUERGEN, surname: "mueller" });
  await passenger.sees(en.job.doneTitle);
  expect(connections()).toBe(1);
  expectLabel(tag, ADA);
  expect(await stranger.lookup(tag.id)).toMatchObject({
    locked: true,
    hints: { departureAirport: "OSL", destinationAirport: "HEL" },
  });
});

test("after the last wrong proof the tag stays with its journey", { tag: "@nightly" }, async ({
  openLocked,
  passenger,
  anotherStranger,
}) => {
  const tag = await openLocked();
  await passenger.beginsFirstBag(ADA);
  for (const left of [3, 2, 1]) {
    await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(left));
    if (left === 1) {
      // To give up and to choose the tag again gives no fresh tries.
      await passenger.dialog.getByRole("button", { name: en.app.cancel }).click();
      await passenger.choose.click();
      await expect(passenger.dialog).toContainText(en.passenger.proof.attemptsLeft(1));
    }
    await passenger.proves(WRONG_EACH_TIME);
  }
  await passenger.sees(asHeading(en.errors.custody_proof_attempts_exceeded.what));
  expectBlank(tag);
  await expectLocked(tag, anotherStranger);
});

test("cancelling the proof leaves tag and lock as they were", { tag: "@nightly" }, async ({
  openLocked,
  passenger,
  anotherStranger,
}) => {
  const tag = await openLocked();
  await passenger.beginsFirstBag(ADA);
  await passenger.dialog.getByRole("button", { name: en.app.cancel }).click();
  await expect(passenger.dialog).toHaveCount(0);
  await passenger.reads(en.errors.custody_proof_cancelled.what);
  expectBlank(tag);
  await expectLocked(tag, anotherStranger);
});

test("the holder clears the tag and releases it", { tag: "@nightly" }, async ({
  tag,
  passenger,
  stranger,
}) => {
  await passenger.writesFirstBag(ADA);
  expectLabel(tag, ADA);

  await passenger.goesHome();
  await passenger.opensClearPage();
  await passenger.clearsTagEarly();
  await passenger.sees(en.clear.doneTitle);
  expectBlank(tag);
  await expectUnlocked(tag, stranger);
});

test("a stranger cannot clear another's tag", { tag: "@nightly" }, async ({
  openLocked,
  passenger,
  anotherStranger,
}) => {
  const tag = await openLocked("/clear");

  await passenger.clearsTag();
  await passenger.sees(asHeading(en.errors.custody_proof_required.what));
  expect(tag.snapshot().commits).toBe(0);
  await expectLocked(tag, anotherStranger);
});
