import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { BluetoothError, type OutboxEntry, ServiceError } from "../../sdk/index.ts";
import { clearOutbox, leaveOutbox } from "../test-support/left-outbox.ts";
import { renderApp, standInForDialogs } from "../test-support/render-app.tsx";

beforeAll(standInForDialogs);
beforeEach(clearOutbox);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

describe("around the pages", () => {
  test("work that waits is shown on every page and flushed at the start", async () => {
    await leaveOutbox();
    const entry = { id: "1", kind: "attach", uniqueDeviceId: "ebt-21-0001", createdAt: 0, tries: 1 } as const;
    const client = renderApp("/", { waiting: [entry] });
    await screen.findByText("On your tag, confirming…");
    await waitFor(() => expect(client.calls).toContain("flush"));
    const error = new ServiceError("device_locked", "");
    client.outboxSays({ type: "dropped", entry, error });
    await screen.findByText("One of your tags could not be confirmed");
    // The words for errors come with a file of their own.
    await screen.findByText("Another journey has just taken this tag.");
    await waitFor(() => expect(screen.queryByText("On your tag, confirming…")).toBeNull());
    press("Understood");
    expect(screen.queryByText("One of your tags could not be confirmed")).toBeNull();
  });

  const QUESTION: OutboxEntry = {
    ...{ id: "1", kind: "attach", uniqueDeviceId: "ebt-21-0001", baggageId: 1, createdAt: 0, tries: 0 },
    question: "written",
  };

  test("what a closed page could not learn is asked of the tag, and not waited for", async () => {
    await leaveOutbox();
    const client = renderApp("/", { waiting: [QUESTION] });
    await screen.findByText("What does tag EBT-\u20600001 show?");
    expect(screen.queryByText("On your tag, confirming…")).toBeNull();
    press("Ask the tag");
    await waitFor(() => expect(client.calls).toContain("settleTag"));
    expect(client.calls.slice(-3)).toEqual(["pickTag", "settleTag", "disconnect"]);
    client.outboxSays({ type: "settled", entry: QUESTION, written: false });
    await screen.findByText("The tag does not show the change");
    expect(screen.queryByText("What does tag EBT-\u20600001 show?")).toBeNull();
    press("Understood");
    expect(screen.queryByText("The tag does not show the change")).toBeNull();
  });

  test("a tag that cannot be asked is let go, and why it was not asked is said", async () => {
    await leaveOutbox();
    const error = new BluetoothError("out_of_reach", "");
    const client = renderApp("/", { waiting: [QUESTION], pick: async () => ({ ok: false, error }) });
    await screen.findByText("What does tag EBT-\u20600001 show?");
    press("Ask the tag");
    await screen.findByText("The tag did not answer.");
    press("I do not have it");
    await waitFor(() => expect(client.calls).toContain("dismiss 1"));
  });

  test.each(["/nowhere", "/kiosk/nowhere", "/journeys//bags/1"])(
    "an unknown address says so and leads back: %s",
    async (path) => {
      renderApp(path);
      await screen.findByRole("heading", { level: 1, name: "There is nothing here" });
      expect(screen.getByRole("link", { name: "Back to start" })).toBeTruthy();
    },
  );
});
