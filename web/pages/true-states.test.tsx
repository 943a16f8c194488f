import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { expect, onTestFinished, test } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import {
  CustodyProofCancelledException,
  type CustodyProofCollector,
  OperationError,
  type OperationOptions,
  PHASES,
  type Phase,
  type ProgressEvent,
  type Result,
  ServiceError,
  type TransferResult,
} from "../../sdk/index.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { unbroken, withNumbers } from "../i18n/forms.ts";
import { PICKED, promptOf, WAITING, WRITTEN, withBags } from "../test-support/fake-taglatch.ts";
import {
  heading,
  press,
  pressSoon,
  renderApp,
  setUpPageTests,
  stubUserActivation,
  type,
} from "../test-support/render-app.tsx";

const PATH = "/journeys/journey-1/bags/1";

setUpPageTests();

/** A transfer that has come as far as `last`, and ends on demand. */
async function transferAt(last: Phase) {
  const { promise, resolve: end } = withResolvers<Result<TransferResult>>();
  let given: OperationOptions = {};
  let asking: CustodyProofCollector | undefined;
  const client = renderApp(PATH, {
    transfer: (collector, options) => {
      given = options;
      asking = collector;
      for (const phase of PHASES.slice(0, PHASES.indexOf(last) + 1))
        if (phase !== "proof") options.onProgress?.({ type: "started", phase, at: 0 });
      return promise;
    },
  });
  await pressSoon(words.job.choose);
  await screen.findByText(words.job.device(unbroken(PICKED.name)));
  const progress = (event: ProgressEvent) => given.onProgress?.(event);
  return { client, end, progress, signal: () => given.signal, collector: () => asking };
}

test("a tag that was chosen is being connected: the page no longer asks to choose", async () => {
  renderApp(PATH, {
    pick: ({ onProgress }) => {
      onProgress?.({ type: "started", phase: "connect", at: 0 });
      return new Promise(() => undefined);
    },
  });
  await pressSoon(words.job.choose);
  await waitFor(() =>
    expect(document.querySelector(".working-line")?.textContent).toContain(words.doing.connect),
  );
  expect(screen.queryByText(words.job.choosing)).toBeNull();
});

test("where the browser remembers no tags, a tap leads to its list without a screen between", async () => {
  stubUserActivation();
  const client = renderApp("/journeys/journey-1", { pick: () => new Promise(() => undefined) });
  let isAsked = false;
  const watch = new MutationObserver(() => {
    isAsked ||= screen.queryByRole("button", { name: words.job.choose }) !== null;
  });
  watch.observe(document.body, { childList: true, characterData: true, subtree: true });
  onTestFinished(() => watch.disconnect());
  await pressSoon(withNumbers(words.bag.putLabel(1)));
  await waitFor(() => expect(client.calls).toContain("pickTag"));
  expect(isAsked).toBe(false);
});

test("what is spoken while the job runs is the line that is shown", async () => {
  await transferAt("write");
  const line = document.querySelector(".working-line");
  expect(line?.textContent?.trim()).toBe(words.doing.write);
  expect(line?.getAttribute("aria-hidden")).toBe("true");
  expect(document.querySelector("main p[role=status].sr-only")?.textContent).toBe(words.doing.write);
});

test("a stop after the commit waits, says that it came too late, and offers to keep or to clear", async () => {
  const { end, progress } = await transferAt("write");
  press(words.app.cancel);
  // It crossed the commit on its way to the tag.
  progress({ type: "started", phase: "display", at: 0 });
  await waitFor(() =>
    expect(document.querySelector(".working-line")?.textContent).toContain(words.job.tooLate),
  );
  // Nothing is being stopped, and no button says so.
  expect(screen.queryByRole("button", { name: words.job.cancelling })).toBeNull();
  end(WRITTEN);
  await heading(passenger.written.stoppedTitle);
  screen.getByText(passenger.written.stopped);
  expect(screen.getByRole("link", { name: passenger.written.keep }).getAttribute("href")).toBe(
    "/journeys/journey-1",
  );
  const clear = await screen.findByRole("link", { name: `Clear tag ${unbroken(PICKED.name)}` });
  expect(clear.getAttribute("href")).toBe(`/clear?tag=${PICKED.uniqueDeviceId}`);
});

test("from the commit on there is no cancel, and then the tag can be put down", async () => {
  const { progress } = await transferAt("write");
  const bar = () => screen.getByRole<HTMLProgressElement>("progressbar", { name: words.job.steps }).value;
  const sent = bar();
  progress({ type: "started", phase: "display", at: 0 });
  await waitFor(() => expect(screen.queryByRole("button", { name: words.app.cancel })).toBeNull());
  expect(document.activeElement?.tagName).toBe("H1");
  expect(bar()).toBeGreaterThanOrEqual(sent);
  progress({ type: "done", phase: "display", at: 0, duration: 1 });
  progress({ type: "started", phase: "attach", at: 0 });
  await waitFor(() => expect(document.querySelector(".working-line")?.textContent).toBe(words.job.putDown));
});

test("a confirmation is spoken only once it has taken two seconds", async () => {
  const { progress } = await transferAt("display");
  const spoken = () => document.querySelector("main p[role=status].sr-only")?.textContent;
  progress({ type: "started", phase: "attach", at: 0 });
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(spoken()).toBe(words.doing.display);
  await waitFor(() => expect(spoken()).toBe(`${words.job.putDown} ${words.doing.attach}`), {
    timeout: 6_000,
  });
});

test("a label that the service refuses for good is not said to be confirmed later", async () => {
  const { client, end } = await transferAt("attach");
  const cause = new ServiceError("device_locked", "", { statusCode: 409 });
  client.outboxSays({ type: "dropped", entry: WAITING, error: cause });
  end({ ok: true, value: { ...WRITTEN.value, pendingRetry: true, refused: true, cause } });
  const { title, dropped } = passenger.reused;
  await heading(title(unbroken(PICKED.name)));
  await screen.findByText(dropped);
  expect(screen.queryByRole("button", { name: words.outbox.retry })).toBeNull();
  // The notice above the job would say it once more.
  await waitFor(() => expect(screen.queryByText(words.outbox.dropped)).toBeNull());
});

test("a stop before the commit stops, and says that nothing was written", async () => {
  const { end, signal } = await transferAt("write");
  press(words.app.cancel);
  expect(signal()?.aborted).toBe(true);
  end({ ok: false, error: new OperationError("cancelled", "") });
  await screen.findByText("Cancelled.");
});

test("a bag whose screen was left after the commit is being written, until it is", async () => {
  const { end } = await transferAt("display");
  fireEvent.click(screen.getByRole("link", { name: /, start$/ }));
  type(words.start.recordLocator, "ABC123", await screen.findByLabelText(words.start.recordLocator));
  type(words.start.surname, "Lovelace");
  press(words.start.find);
  const spoken = (await screen.findByText(words.bag.writing)).closest("[role=status]");
  expect(screen.queryByRole("button", { name: withNumbers(words.bag.putLabel(1)) })).toBeNull();
  end(WRITTEN);
  const written = await screen.findByText(words.bag.onTag(unbroken(PICKED.name)));
  expect(written.closest("[role=status]")).toBe(spoken);
  expect(spoken).toBeTruthy();
  expect(screen.queryByText(words.bag.writing)).toBeNull();
});

test("a job that is asked something after its screen was left gives up, and ends", async () => {
  const { end, collector } = await transferAt("display");
  fireEvent.click(screen.getByRole("link", { name: /, start$/ }));
  await screen.findByLabelText(words.start.recordLocator);
  const answer = await collector()?.collect(promptOf());
  expect(answer).toBeNull();
  end({ ok: false, error: new CustodyProofCancelledException() });
  type(words.start.recordLocator, "ABC123");
  type(words.start.surname, "Lovelace");
  press(words.start.find);
  await screen.findByRole("button", { name: withNumbers(words.bag.putLabel(1)) });
});

test("a tag that shows another number is written once more, without the list", async () => {
  const client = renderApp(PATH);
  await pressSoon(words.job.choose);
  await heading(words.job.doneTitle);
  const number = "…\u2060456\u2069";
  await waitFor(() => expect(document.querySelector(".read-back")?.textContent).toContain(number));
  press(passenger.written.readBackNot);
  await waitFor(() => expect(client.calls.filter((call) => call === "transferTag")).toHaveLength(2));
  expect(client.calls).toContain(`connect ${PICKED.deviceId}`);
});

test("“Confirm now” says what came of it", async () => {
  const client = renderApp("/journeys/journey-1", { waiting: [WAITING] });
  await pressSoon(words.outbox.retry);
  await screen.findByText(words.outbox.stillWaiting);
  expect(client.calls).toContain("flush");
});

test("clearing one tag keeps its name, its bag and the way back to the journey", async () => {
  renderApp("/journeys/journey-1", withBags({ attachedDevice: PICKED.uniqueDeviceId }, {}));
  fireEvent.click(await screen.findByRole("link", { name: words.bag.clear }));
  await heading(`Clear tag ${unbroken(PICKED.name)}`);
  screen.getByRole("img", { name: withNumbers(words.bag.drawing("Helsinki", "0117123456")) });
  const back = () => screen.getByRole("link", { name: words.job.toJourney }).getAttribute("href");
  expect(back()).toBe("/journeys/journey-1");
  press(words.clear.titleOf(unbroken(PICKED.name)));
  await heading(words.clear.doneTitle);
  screen.getByRole("img", { name: words.bag.blankDrawing });
  expect(back()).toBe("/journeys/journey-1");
});
