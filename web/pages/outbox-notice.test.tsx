import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import { ServiceError } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { PICKED, WAITING } from "../test-support/fake-taglatch.ts";
import { renderApp, setUpPageTests } from "../test-support/render-app.tsx";

setUpPageTests();

/** The notice with this title, and the paragraphs in it. */
async function notice(title: string) {
  const found = (await screen.findByText(title)).closest<HTMLElement>(".notice");
  if (found === null) throw new Error("not in a notice");
  return { found, body: [...found.querySelectorAll(".notice-body p")].map((each) => each.textContent) };
}

test("what waits says that it is confirmed by itself", async () => {
  renderApp("/journeys/journey-1", { waiting: [WAITING] });
  const { found, body } = await notice(words.outbox.waiting(1));
  expect(body).toEqual([words.job.pending]);
  expect(within(found).getByRole("button", { name: words.outbox.retry })).toBeTruthy();
});

test.each([
  ["attach", words.outbox.droppedNext],
  ["unlock", words.outbox.notCommittedNext],
] as const)("a refused entry (%s) says why, and what to do: %s", async (kind, next) => {
  const entry = { ...WAITING, kind };
  const client = renderApp("/journeys/journey-1", { waiting: [entry] });
  await notice(words.outbox.waiting(1));
  client.outboxSays({ type: "dropped", entry, error: new ServiceError("baggage_not_found", "") });
  // The words for errors come with a file of their own.
  await waitFor(async () => {
    const { body } = await notice(words.outbox.dropped);
    expect(body).toEqual([errors.baggage_not_found.what, next]);
  });
});

test("a late confirmation of a tag that another trip has locked since says that it was reused", async () => {
  const client = renderApp("/journeys/journey-1", { waiting: [WAITING] });
  await notice(words.outbox.waiting(1));
  client.outboxSays({ type: "dropped", entry: WAITING, error: new ServiceError("device_locked", "") });
  const { title, dropped } = passenger.reused;
  const { found, body } = await notice(title(unbroken(PICKED.name)));
  expect(body).toEqual([dropped]);
  fireEvent.click(within(found).getByRole("button", { name: words.outbox.dismiss }));
  await waitFor(() => expect(screen.queryByText(dropped)).toBeNull());
});

test("the owner of a tag that someone has written since reads that it was reused, not that the page was left", async () => {
  renderApp("/journeys/journey-1", { waiting: [{ ...WAITING, unresolved: "stale" }] });
  const { title, body: reason } = passenger.reused;
  const { found, body } = await notice(title(unbroken(PICKED.name)));
  expect(body).toEqual([reason]);
  expect(within(found).getByRole("button", { name: passenger.unresolved.ask })).toBeTruthy();
});
