import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { describe, expect, test } from "vitest";
import {
  OperationError,
  OtherBagError,
  OtherLabelError,
  type PickedTag,
  type Result,
  type TransferTagRequest,
} from "../../sdk/index.ts";
import { page } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { type FakeScript, PICKED, WRITTEN, withBags } from "../test-support/fake-taglatch.ts";
import { heading, press, pressSoon, renderApp, setUpPageTests } from "../test-support/render-app.tsx";

const DEVICE = PICKED.uniqueDeviceId;
const firstOn = (attachedDevice: string, ...otherDevices: string[]) =>
  withBags({ attachedDevice, otherDevices }, {}).journey;

setUpPageTests();

/** Puts bag 2 on a tag that carries `baggageId`. */
async function startMove(baggageId: number, journey = firstOn(DEVICE)) {
  const requests: TransferTagRequest[] = [];
  const client = renderApp("/journeys/journey-1/bags/2", {
    journey,
    transfer: async (_collector, _options, request) => {
      requests.push(request);
      return request.move ? WRITTEN : { ok: false, error: new OtherBagError(baggageId) };
    },
  });
  await heading("Ready for your tag");
  await pressSoon("Choose my tag");
  return { client, requests };
}

describe("a tag that carries another bag", () => {
  test("is moved if the person says so, and the bag it carried has none", async () => {
    const { client, requests } = await startMove(1);
    await heading("This tag is already used for bag\u00a01");
    expect(client.calls).not.toContain("disconnect");
    await pressSoon("Use it for bag\u00a02");
    await heading("Your tag is ready");
    expect(requests.map(({ move }) => move)).toEqual([false, true]);
    fireEvent.click(screen.getByRole("link", { name: "Back to my trip" }));
    await heading("To Helsinki");
    expect(screen.getByText("No tag yet")).toBeTruthy();
    expect(screen.getAllByText("On tag EBT-\u20600001")).toHaveLength(1);
  });

  test("is left as it is for another tag", async () => {
    const { client } = await startMove(1);
    await heading("This tag is already used for bag\u00a01");
    await pressSoon("Use another tag");
    await waitFor(() => expect(client.calls.filter((call) => call === "transferTag")).toHaveLength(2));
    expect(client.calls.filter((call) => call === "pickTag")).toHaveLength(2);
    // The first tag is let go; the second is asked about.
    expect(client.calls.filter((call) => call === "disconnect")).toHaveLength(1);
    await heading("This tag is already used for bag\u00a01");
  });

  test("is left as it is by who cancels", async () => {
    const { client } = await startMove(1);
    await heading("This tag is already used for bag\u00a01");
    await pressSoon("Cancel");
    await heading("Ready for your tag");
    expect(client.calls).toEqual(["pickTag", "transferTag", "disconnect"]);
  });

  test("is moved without a question if that bag has a newer tag: it loses nothing", async () => {
    const { requests } = await startMove(1, firstOn("ebt-20-0005", DEVICE.toUpperCase()));
    await heading("Your tag is ready");
    expect(requests.map(({ move }) => move)).toEqual([false, true]);
  });

  test("is asked about if it is that bag's newest, whatever older ones it has", async () => {
    const { requests } = await startMove(1, firstOn(DEVICE, "ebt-20-0005"));
    await heading("This tag is already used for bag\u00a01");
    expect(requests).toHaveLength(1);
  });

  test("of another journey is not numbered", async () => {
    await startMove(77);
    await heading("This tag is already used for another bag");
    expect(await screen.findByRole("button", { name: "Use it for bag\u00a02" })).toBeTruthy();
  });
});

test("a bag on two tags shows the newest, the older one in a row that opens, and each can be cleared", async () => {
  renderApp("/journeys/journey-1", { journey: firstOn(DEVICE, "ebt-20-0005") });
  const row = (await screen.findByText("1 older tag")).closest("details");
  expect(row?.open).toBe(false);
  expect(screen.getByText("On tag EBT-\u20600001")).toBeTruthy();
  expect(row?.querySelector("a")?.textContent).toBe("Clear tag EBT-\u20600005");
  const newest = await screen.findByRole("link", { name: "Clear this tag" });
  expect(newest.getAttribute("href")).toContain(DEVICE);
});

describe("a tag that shows another person's label", () => {
  /** Puts bag 1 on it. */
  async function start() {
    const answers: unknown[] = [];
    const client = renderApp("/journeys/journey-1/bags/1", {
      transfer: async (_collector, _options, { onOtherLabel }) => {
        const answer = await onOtherLabel?.({ device: PICKED, signal: new AbortController().signal });
        answers.push(answer);
        return answer === "replace" ? WRITTEN : { ok: false, error: new OtherLabelError() };
      },
    });
    await heading("Ready for your tag");
    await pressSoon("Choose my tag");
    await heading("This tag shows someone else’s label");
    return { client, answers };
  }

  test("is written over if the person says so", async () => {
    const { answers } = await start();
    await pressSoon("Replace the label");
    await heading("Your tag is ready");
    expect(answers).toEqual(["keep", "replace"]);
  });

  test("is left as it is for another tag, with two buttons and no more", async () => {
    const { client } = await start();
    expect(screen.queryByRole("button", { name: "Cancel" })).toBeNull();
    await pressSoon("Use another tag");
    await waitFor(() => expect(client.calls.filter((call) => call === "pickTag")).toHaveLength(2));
    // The first tag is let go.
    expect(client.calls.filter((call) => call === "disconnect")).toHaveLength(1);
  });
});

const { list } = passenger;
const PATH = "/journeys/journey-1/bags/1";
const CLOSED = { ok: false, error: new OperationError("cancelled", "") } as const;

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
  expect(screen.queryByText(/Code for support/)).toBeNull();
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
