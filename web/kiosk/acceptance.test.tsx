import { screen, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import { BagRefusedError, type JourneyWithNewBag, type Result, ServiceError } from "../../sdk/index.ts";
import { en } from "../i18n/en.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { LOVELACE } from "../test-support/journeys.ts";
import { heading, press, renderKiosk, setUpKioskTests } from "../test-support/render-kiosk.tsx";
import { scan } from "../test-support/scanner.ts";

/** What the airline says of a bag, and the operator of the airport, at a kiosk. */

setUpKioskTests();

const { addBag, notListed } = passenger;

async function add(answer: Result<JourneyWithNewBag>) {
  renderKiosk({ script: { addBag: answer } });
  await heading(words.attract.scan);
  scan("M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100");
  await heading(en.journey.title("Helsinki"));
  await press(words.journey.addBag);
}

test("a refusal has the airline's reason, its sentence and the next step", async () => {
  const errors = ["not_checked_in", "Check in at gate 4."];
  await add({ ok: false, error: new BagRefusedError("bag_refused", "", { errors }) });
  const alert = within(await screen.findByRole("alert"));
  await alert.findByText(addBag.refused.not_checked_in.what);
  alert.getByText(addBag.refused.not_checked_in.next);
  alert.getByText("Check in at gate 4.");
});

test("another error is what it was", async () => {
  await add({ ok: false, error: new ServiceError("bag_limit", "") });
  await within(await screen.findByRole("alert")).findByText(en.errors.bag_limit.what);
});

test("the weight is said until another journey is shown, and an airport that is not listed is named", async () => {
  const value = { ...LOVELACE, acceptsTags: false, allowed: { kilograms: 23 } } as const;
  await add({ ok: true, value });
  await screen.findByText(addBag.upTo("23 kg"));
  screen.getByText(notListed.title("OSL"));
  await press(words.journey.done);
  await heading(words.attract.scan);
  scan("M1LOVELACE/ADA        EABC123 OSLARNSK 1234 123Y008A0034 100");
  await heading(en.journey.title("Helsinki"));
  expect(screen.queryByText(addBag.upTo("23 kg"))).toBeNull();
  expect(screen.queryByText(notListed.title("OSL"))).toBeNull();
});
