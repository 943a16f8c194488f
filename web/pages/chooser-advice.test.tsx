import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import { OperationError, type PickedTag, type Result } from "../../sdk/index.ts";
import { page } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import type { FakeScript } from "../test-support/fake-taglatch.ts";
import { press, pressSoon, renderApp, setUpPageTests } from "../test-support/render-app.tsx";

const { list } = passenger;
const PATH = "/journeys/journey-1/bags/1";
const CLOSED = { ok: false, error: new OperationError("cancelled", "") } as const;

setUpPageTests();

const choose = () => pressSoon("Choose my tag");

test("before the first list of this device it is said how a tag is chosen, once", async () => {
  const client = renderApp(PATH);
  localStorage.clear();
  await choose();
  await screen.findByRole("dialog", { name: list.title });
  screen.getByText(list.look("EBT-\u20600001"));
  expect(client.calls).not.toContain("pickTag");
  press(list.show);
  await screen.findByRole("heading", { name: "Your tag is ready" });
  cleanup();
  const later = renderApp(PATH);
  await choose();
  await waitFor(() => expect(later.calls).toContain("pickTag"));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("the advice for one certain tag names it", async () => {
  renderApp("/clear?tag=ebt-21-0042");
  localStorage.clear();
  await pressSoon(page.clear.titleOf("EBT-\u20600042"));
  await screen.findByText(list.look("EBT-\u20600042"));
});

test("a host that knows the tag names it in the address, and nothing begins by itself", async () => {
  const asked: (string | undefined)[] = [];
  const pick: FakeScript["pick"] = async ({ uniqueDeviceId }) => {
    asked.push(uniqueDeviceId);
    return CLOSED;
  };
  const client = renderApp(`${PATH}?device=ebt-21-0042`, { pick });
  const button = await screen.findByRole("button", { name: /EBT-\u20600042/ });
  expect(client.calls).not.toContain("pickTag");
  fireEvent.click(button);
  await waitFor(() => expect(asked).toEqual(["ebt-21-0042"]));
});

test("a list that was closed without a choice is followed by what to try, and by another list", async () => {
  const answers: Result<PickedTag>[] = [CLOSED, CLOSED];
  const client = renderApp(PATH, { pick: async () => answers.shift() ?? CLOSED });
  await choose();
  await screen.findByRole("dialog", { name: list.closed });
  press(list.again);
  await waitFor(() => expect(client.calls.filter((call) => call === "pickTag")).toHaveLength(2));
  await screen.findByRole("dialog", { name: list.closed });
  press(list.later);
  expect(screen.queryByRole("dialog")).toBeNull();
  screen.getByText("Cancelled.");
});

test("a cancel on the page leads to no question about the list", async () => {
  renderApp(PATH, {
    pick: ({ signal }) =>
      new Promise((resolve) => signal?.addEventListener("abort", () => resolve(CLOSED), { once: true })),
  });
  await choose();
  await pressSoon("Cancel");
  await screen.findByText("Cancelled.");
  expect(screen.queryByRole("dialog")).toBeNull();
});
