import { webcrypto } from "node:crypto";
import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { describe, expect, test, vi } from "vitest";
import {
  BluetoothError,
  CustodyProofCancelledException,
  OperationError,
  ServiceError,
} from "../../sdk/index.ts";
import {
  type FakeScript,
  LOVELACE,
  PICKED,
  promptOf,
  WAITING,
  WRITTEN,
  withBags,
} from "../test-support/fake-taglatch.ts";
import { heading, press, renderApp, setUpPageTests, type } from "../test-support/render-app.tsx";

const TRANSFER_PATH = "/journeys/journey-1/bags/1";
setUpPageTests();

async function startTransfer(script: FakeScript) {
  const client = renderApp(TRANSFER_PATH, script);
  await heading("Ready for your tag");
  press("Choose my tag");
  return client;
}

describe("finding a journey", () => {
  test("record locator and surname lead to the journey with its bags", async () => {
    const client = renderApp("/");
    const visited = history.length;
    type("Booking reference", " abc123 ");
    type("Surname", "Lovelace");
    press("Find my trip");
    await heading("To Helsinki");
    // The start shows the same journey from now on: Back would seem to do nothing.
    await waitFor(() => expect(location.pathname).toBe("/journeys/journey-1"));
    expect(history.length).toBe(visited);
    expect(client.calls).toContain("fromRecordLocator ABC123 Lovelace");
    expect(screen.getByText("2 bags, 2 tags")).toBeTruthy();
    expect(screen.getAllByRole("img", { name: /Bag tag to Helsinki/ })).toHaveLength(2);
  });

  test("the passenger's name is above the journey where another passenger is on the booking", async () => {
    const companion = { ...LOVELACE, journeyId: "journey-2" };
    renderApp("/journeys/journey-1", { companions: [companion] });
    await screen.findByText("\u2068ADA\u2069 · SK 1234 · Sun, Nov 22");
  });

  test("a flight shows its day and no hour: the service's is not the one on the boarding pass", async () => {
    const flights = LOVELACE.flights.map((flight) => ({
      ...flight,
      scheduledDeparture: "2099-11-22T07:15:00Z",
    }));
    renderApp("/journeys/journey-1", { journey: { ok: true, value: { ...LOVELACE, flights } } });
    expect((await screen.findByText("SK 1234")).closest("li")?.textContent).toBe(
      "SK 1234\u2066OSL\u2069 – \u2066ARN\u2069Sun, Nov 22",
    );
  });
});

describe("finding no journey", () => {
  test("an empty field is named and gets the focus; nothing is asked", () => {
    const client = renderApp("/");
    press("Find my trip");
    expect(screen.getByText("Enter your booking reference.")).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText("Booking reference"));
    expect(client.calls).toEqual([]);
  });

  test("an unknown journey is one sentence, one next step and a code", async () => {
    const error = new ServiceError("journey_not_found", "internal words", { requestId: "0123456789abcdef" });
    renderApp("/", { journey: { ok: false, error } });
    type("Booking reference", "ZZZZZZ");
    type("Surname", "Stranger");
    press("Find my trip");
    const alert = within(await screen.findByRole("alert"));
    await alert.findByText("We can’t find this trip.");
    alert.getByText("Check the booking reference and the surname.");
    alert.getByText("journey_not_found 01234567");
    expect(document.body.textContent).not.toContain("internal words");
  });
});

describe("putting a bag on a tag", () => {
  test("ends with the tag that is ready and offers the next bag", async () => {
    const client = await startTransfer({});
    await heading("Your tag is ready");
    expect(client.calls).toEqual(["pickTag", "transferTag", "disconnect"]);
    expect(screen.getByRole("button", { name: "Next: bag\u00a02" })).toBeTruthy();
  });

  test("the steps are listed and the one on the way is marked", async () => {
    await startTransfer({
      transfer: (_collector, { onProgress }) => {
        onProgress?.({ type: "started", phase: "secure", at: 1 });
        return new Promise(() => undefined);
      },
    });
    const details = (await screen.findByText("Details")).closest("details") as HTMLDetailsElement;
    details.open = true;
    const steps = await within(details).findByRole("list", { name: "Progress" });
    await waitFor(() =>
      expect(
        within(steps).getByText("Secure the connection").closest("li")?.getAttribute("aria-current"),
      ).toBe("step"),
    );
    expect(within(steps).getAllByRole("listitem")).toHaveLength(7);
    expect(screen.getByText("Tag EBT-\u20600001")).toBeTruthy();
    expect(screen.getByText("Battery 87%")).toBeTruthy();
  });
});

describe("a tag that is not written", () => {
  test.each([
    ["blocked_by_policy", "Bluetooth is blocked by your organisation or in this browser’s settings."],
    ["bluetooth_off", "Bluetooth is off, or this device has none."],
    ["bluetooth_unavailable", "Bluetooth is off, or this browser may not use it."],
    ["unsupported", "This browser can’t connect to bag tags."],
    ["permission_refused", "This page may not use Bluetooth."],
  ] as const)(
    "%s has its own sentence, and a paper tag is offered once trying again is no use",
    async (code, sentence) => {
      await startTransfer({ pick: async () => ({ ok: false, error: new BluetoothError(code, "") }) });
      await heading(sentence.replace(/\.$/, ""));
      // Where trying again is pointless, it is not offered.
      const isPointless = code === "unsupported" || code === "blocked_by_policy";
      expect(screen.queryAllByRole("button", { name: "Try again" })).toHaveLength(isPointless ? 0 : 1);
      if (!isPointless) press("Try again");
      await screen.findByText(/Ask for a paper tag/);
    },
  );

  test("a low battery is asked about before anything is written", async () => {
    const client = await startTransfer({
      pick: async () => ({ ok: true, value: { ...PICKED, batteryLevel: 12 } }),
    });
    await heading(/^Low.battery:.+12/);
    expect(client.calls).toEqual(["pickTag"]);
    press("Write anyway");
    await heading("Your tag is ready");
  });
});

describe("a transfer that does not end as it should", () => {
  test("written but not confirmed says so, and turns into done when the outbox gets through", async () => {
    const client = await startTransfer({
      transfer: async () => ({ ok: true, value: { ...WRITTEN.value, pendingRetry: true } }),
    });
    await heading("Label written");
    client.outboxSays({ type: "sent", entry: WAITING });
    await heading("Your tag is ready");
  });

  test.each([
    ["attach", PICKED.uniqueDeviceId, true],
    ["attach", "ebt-21-0002", false],
    ["unlock", PICKED.uniqueDeviceId, false],
  ] as const)(
    "an entry that ends with a refusal (%s of %s) ends its own job alone: %s",
    async (kind, device, own) => {
      const client = await startTransfer({
        transfer: async () => ({ ok: true, value: { ...WRITTEN.value, pendingRetry: true } }),
      });
      await heading("Label written");
      const entry = { ...WAITING, kind, uniqueDeviceId: device };
      client.outboxSays({ type: "dropped", entry, error: new ServiceError("never_confirmed", "") });
      // Said once: by the job that it is about, else above it.
      await heading(own ? "The airline got no report on this tag for two weeks" : "Label written");
      const notice = "We couldn’t confirm one of your tags";
      if (own) expect(screen.queryByText(notice)).toBeNull();
      else await screen.findByText(notice);
    },
  );

  test("something thrown outside the SDK’s results still ends in a sentence", async () => {
    // jsdom has no WebCrypto, without which everything is unsupported.
    vi.stubGlobal("crypto", webcrypto);
    await startTransfer({ transfer: () => Promise.reject(new TypeError("x is not a function")) });
    await heading("Something unexpected went wrong");
    expect(document.body.textContent).not.toContain("is not a function");
  });
});

const onTag = withBags({ attachedDevice: PICKED.uniqueDeviceId }, {});

describe("bags on tags", () => {
  test("a tag has one name: on the journey, where it is reported lost, and where it is cleared", async () => {
    renderApp("/journeys/journey-1", {
      ...onTag,
      remembered: [{ deviceId: "radio-1", name: "EBT-0001" }],
    });
    await screen.findByText("On tag EBT-\u20600001");
    await screen.findByRole("button", { name: "Report lost (EBT-0001)" });
    fireEvent.click(screen.getByRole("link", { name: "Clear this tag" }));
    await screen.findByRole("button", { name: "Clear tag EBT-\u20600001" });
    expect(document.body.textContent).not.toContain("ebt-21-0001");
  });
});

describe("bags on tags, once the outbox gets through", () => {
  test("a bag whose attachment gets through later is on its tag at once", async () => {
    const client = renderApp("/journeys/journey-1", { waiting: [WAITING] });
    await screen.findByRole("button", { name: "Write to tag: bag\u00a01" });
    await screen.findByText("Label written, not confirmed yet");
    client.outboxSays({ type: "sent", entry: WAITING });
    await screen.findByRole("button", { name: "Rewrite or switch tag: bag\u00a01" });
    screen.getByText("Ready for bag drop");
    // Bags keep their order.
    const bags = screen.getAllByRole("heading", { level: 3 });
    expect(bags.map(({ textContent }) => textContent)).toEqual(["Bag\u00a01", "Bag\u00a02"]);
  });

  test("a tag whose release gets through later is on no bag any more", async () => {
    const client = renderApp("/journeys/journey-1", onTag);
    await screen.findByRole("button", { name: "Rewrite or switch tag: bag\u00a01" });
    const { baggageId: _, ...entry } = { ...WAITING, kind: "unlock" } as const;
    client.outboxSays({ type: "sent", entry });
    await screen.findByRole("button", { name: "Put it back: Bag\u00a01" });
  });
});

const hints = {
  maskedRecordLocator: "K•••••",
  maskedSurname: "M•••••",
  departureAirport: "JFK",
  destinationAirport: "FRA",
};

describe("the custody proof", () => {
  test("shows hints and tries left, sends capitals, keeps the surname after a wrong answer", async () => {
    const answers: unknown[] = [];
    await startTransfer({
      transfer: async (collector, { onProgress }) => {
        answers.push(await collector.collect(promptOf({ hints })));
        const lastSubmissionError = new ServiceError("custody_proof_invalid", "");
        answers.push(
          await collector.collect(promptOf({ hints, attempt: 2, attemptsLeft: 1, lastSubmissionError })),
        );
        onProgress?.({ type: "done", phase: "proof", at: 1, duration: 1 });
        return WRITTEN;
      },
    });
    const dialog = within(await screen.findByRole("dialog"));
    dialog.getByText("\u2066JFK\u2069 – \u2066FRA\u2069");
    dialog.getByText("\u2066K•••••\u2069");
    dialog.getByText("3 tries left");
    type("Booking reference", "k7q2zd", dialog.getByLabelText("Booking reference"));
    type("Surname", "Muller", dialog.getByLabelText("Surname"));
    fireEvent.click(dialog.getByRole("button", { name: "Unlock" }));
    await dialog.findByText("These details don’t match the trip on the tag.");
    dialog.getByText("Last try");
    expect(dialog.getByLabelText<HTMLInputElement>("Surname").value).toBe("Muller");
    expect(dialog.getByLabelText<HTMLInputElement>("Booking reference").value).toBe("");
    type("Booking reference", "k7q2zd", dialog.getByLabelText("Booking reference"));
    type("Surname", "müller", dialog.getByLabelText("Surname"));
    fireEvent.click(dialog.getByRole("button", { name: "Unlock" }));
    await heading("Your tag is ready");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(answers).toEqual([
      { recordLocator: "K7Q2ZD", surname: "MULLER" },
      { recordLocator: "K7Q2ZD", surname: "MÜLLER" },
    ]);
  });
});

describe("the custody proof given up", () => {
  test("cancel answers null and leaves the tag with its journey", async () => {
    await startTransfer({
      transfer: async (collector) => {
        const answer = await collector.collect(promptOf({ hints }));
        expect(answer).toBeNull();
        return { ok: false, error: new CustodyProofCancelledException() };
      },
    });
    const dialog = within(await screen.findByRole("dialog"));
    fireEvent.click(dialog.getByRole("button", { name: "Cancel" }));
    await screen.findByText("The tag is still locked to another trip.");
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("a cancelled operation closes the dialog by itself", async () => {
    const abort = new AbortController();
    await startTransfer({
      transfer: async (collector) => {
        await collector.collect(promptOf({ hints, signal: abort.signal }));
        return { ok: false, error: new OperationError("cancelled", "") };
      },
    });
    await screen.findByRole("dialog");
    abort.abort();
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});
