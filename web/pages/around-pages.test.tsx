import {
  createMemoryHistory,
  MemoryRouter,
  Route,
  type RouteSectionProps,
  useCurrentMatches,
} from "@solidjs/router";
import { fireEvent, render, screen, waitFor, within } from "@solidjs/testing-library";
import { beforeEach, describe, expect, test } from "vitest";
import { PAGE_PATHS } from "../../core/api/page-paths.test-support.ts";
import { PAGE_ROUTES, pageRouteOf } from "../../core/api/page-routes.ts";
import { BluetoothError, type OutboxEntry, ServiceError } from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken } from "../i18n/forms.ts";
import { PICKED, WAITING } from "../test-support/fake-taglatch.ts";
import { clearOutbox, leaveOutbox } from "../test-support/left-outbox.ts";
import { heading, press, renderApp, setUpPageTests } from "../test-support/render-app.tsx";

setUpPageTests();
beforeEach(clearOutbox);

describe("around the pages", () => {
  test("work that waits is shown on every page and flushed at the start", async () => {
    await leaveOutbox();
    const client = renderApp("/", { waiting: [WAITING] });
    await screen.findByText("Label written, not confirmed yet");
    await waitFor(() => expect(client.calls).toContain("flush"));
  });

  const QUESTION: OutboxEntry = { ...WAITING, tries: 0, unresolved: "written" };

  test("what a closed page could not learn is asked of the tag, and not waited for", async () => {
    await leaveOutbox();
    const client = renderApp("/", { waiting: [QUESTION] });
    await screen.findByText("Did EBT-\u20600001 update?");
    expect(screen.queryByText("Label written, not confirmed yet")).toBeNull();
    press("Check tag");
    await waitFor(() => expect(client.calls).toContain("settleTag"));
    expect(client.calls.slice(-3)).toEqual(["pickTag", "settleTag", "disconnect"]);
    client.outboxSays({ type: "settled", entry: QUESTION, written: false });
    await screen.findByText("The tag didn’t update");
    expect(screen.queryByText("Did EBT-\u20600001 update?")).toBeNull();
    press("OK");
    expect(screen.queryByText("The tag didn’t update")).toBeNull();
  });

  test("a tag that cannot be asked is let go, and why it was not asked is said", async () => {
    await leaveOutbox();
    const error = new BluetoothError("out_of_reach", "");
    const client = renderApp("/", { waiting: [QUESTION], pick: async () => ({ ok: false, error }) });
    await screen.findByText("Did EBT-\u20600001 update?");
    press("Check tag");
    await screen.findByText("The tag didn’t answer.");
    press("I don’t have it");
    await waitFor(() => expect(client.calls).toContain("dismiss 1"));
  });

  const NO_TAGS = ["\u202etag", "x".repeat(65), "1"].map((id) => `/t/${encodeURIComponent(id)}`);

  test.each(["/nowhere", "/kiosk/nowhere", "/journeys//bags/1", "/t/%E0%A4%A", ...NO_TAGS])(
    "an unknown address, or one of no tag, says so and leads back: %s",
    async (path) => {
      renderApp(path);
      await heading("Page not found");
      expect(screen.getByRole("link", { name: "Back to start" })).toBeTruthy();
    },
  );
});

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
  expect(screen.queryByText(words.outbox.waiting(1))).toBeNull();
  press(words.outbox.dismiss);
  expect(screen.queryByText(words.outbox.dropped)).toBeNull();
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

/** The Worker and the service worker find the page's routes by patterns of their own: they agree with the router. */
test.each([
  ...PAGE_PATHS,
  ...["/nowhere", "/journeys", "/journeys/", "/kiosks", "/kiosk/nowhere", "/tag", "/find/more", "/clear//"],
  ...["/journeys//bags/2", "/journeys/j1/bags", "/t/deep/image.png", "/%66ind"],
])("the router finds at %s what the service finds", (path) => {
  const history = createMemoryHistory();
  history.set({ value: path });
  const Root = (props: RouteSectionProps) => (
    <>{useCurrentMatches()().length > 0 ? props.children : "nothing"}</>
  );
  const { container } = render(() => (
    <MemoryRouter history={history} root={Root}>
      {PAGE_ROUTES.map((route) => (
        <Route path={route} component={() => route} />
      ))}
    </MemoryRouter>
  ));
  expect(container.textContent).toBe(pageRouteOf(path) ?? "nothing");
});
