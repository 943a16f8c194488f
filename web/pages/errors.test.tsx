import { fireEvent, screen, waitFor, within } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import {
  BluetoothError,
  CustodyProofAttemptsExceededException,
  CustodyProofCancelledException,
  type CustodyProofInput,
  ServiceError,
  TagError,
  type TaglatchError,
} from "../../sdk/index.ts";
import { errors } from "../i18n/en-errors.ts";
import { page as words } from "../i18n/en-page.ts";
import { passenger } from "../i18n/en-passenger.ts";
import { PICKED, promptOf } from "../test-support/fake-taglatch.ts";
import { heading, press, pressSoon, renderApp, setUpPageTests } from "../test-support/render-app.tsx";

const PATH = "/journeys/journey-1/bags/1";

setUpPageTests();

const choose = () => pressSoon(words.job.choose);
/** The heading is the cause, without its full stop. */
const failed = ({ code }: Pick<TaglatchError, "code">) => heading(errors[code].what.replace(/\.$/, ""));

/** The transfer that ends in `error`. */
async function failingWith(error: TaglatchError) {
  const client = renderApp(PATH, { transfer: async () => ({ ok: false, error }) });
  await choose();
  await failed(error);
  return client;
}

test("after a failure at a tag, trying again goes to that tag and opens no second list", async () => {
  const client = await failingWith(new BluetoothError("link_lost", ""));
  press(words.app.again);
  await waitFor(() => expect(client.calls).toContain(`connect ${PICKED.deviceId}`));
  expect(client.calls.filter((call) => call === "pickTag")).toHaveLength(1);
});

test("the second failure in a row offers a paper tag; the code for support stands with the steps", async () => {
  await failingWith(new BluetoothError("link_lost", ""));
  const code = screen.getByText(words.error.code, { exact: false }).closest("details") as HTMLDetailsElement;
  expect([code.open, within(code).queryByText(passenger.step.connect)]).toEqual([false, null]);
  code.open = true;
  await within(code).findByText(passenger.step.connect);
  expect(screen.queryByText(words.error.paper)).toBeNull();
  press(words.app.again);
  await screen.findByText(words.error.paper);
});

test.each([
  [new TagError("untrusted_tag", ""), "button", passenger.otherBag.another],
  [new ServiceError("payload_mismatch", ""), "link", words.job.toJourney],
  [new ServiceError("unauthorized_token", ""), "link", words.start.find],
  [new ServiceError("invalid_answer", ""), "button", words.journey.reload],
  [new ServiceError("insufficient_scope", ""), "link", words.job.toJourney],
] as const)("%s has the button that its sentence advises", async (error, role, name) => {
  await failingWith(error);
  const found = await screen.findAllByRole(role, { name });
  expect(found.some((element) => element.closest(".notice-actions"))).toBe(true);
  expect(screen.queryByRole("button", { name: words.app.again })).toBeNull();
});

test("what is spoken of an error is what is shown", async () => {
  await failingWith(new ServiceError("too_many_attempts", "", { retryAfter: 120 }));
  const spoken = () => document.querySelector("main p[role=status].sr-only")?.textContent;
  await waitFor(() => expect(spoken()).toBe("Too many tries. Wait\u00a02 minutes, then try again."));
  expect(document.querySelector(".notice-body p")?.textContent).toBe("Wait\u00a02 minutes, then try again.");
});

const prove = async (recordLocator: string, surname: string) => {
  const dialog = within(await screen.findByRole("dialog"));
  const field = (label: string) => dialog.getByLabelText<HTMLInputElement>(label);
  const before = [field(words.start.recordLocator).value, field(words.start.surname).value];
  fireEvent.input(field(words.start.recordLocator), { target: { value: recordLocator } });
  fireEvent.input(field(words.start.surname), { target: { value: surname } });
  fireEvent.click(dialog.getByRole("button", { name: passenger.proof.submit }));
  return before;
};

test("once the tries at a tag are used up, there are no fresh ones", async () => {
  let prompts = 0;
  const client = renderApp(PATH, {
    transfer: async (collector) => {
      prompts += 1;
      const input = await collector.collect(promptOf({ attemptsLeft: 1 }));
      if (!input) return { ok: false, error: new CustodyProofCancelledException() };
      return {
        ok: false,
        error: new CustodyProofAttemptsExceededException({}, new ServiceError("custody_proof_invalid", "")),
      };
    },
  });
  await choose();
  await prove("ZZZZZZ", "Stranger");
  await failed({ code: "custody_proof_attempts_exceeded" });
  await pressSoon(passenger.otherBag.another);
  await waitFor(() => expect(prompts).toBe(2));
  await failed({ code: "custody_proof_attempts_exceeded" });
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(client.calls.filter((call) => call === "transferTag")).toHaveLength(2);
  expect((await screen.findAllByText(/No tries left/)).length).toBeGreaterThan(0);
});

test("to give up and begin again gives no fresh tries", async () => {
  const left: number[] = [];
  const refused = new ServiceError("custody_proof_invalid", "");
  renderApp(PATH, {
    transfer: async (collector) => {
      await collector.collect(promptOf());
      await collector.collect(promptOf({ attemptsLeft: 2, attempt: 2, lastSubmissionError: refused }));
      return { ok: false, error: new CustodyProofCancelledException() };
    },
  });
  const giveUp = async () => {
    const dialog = within(await screen.findByRole("dialog"));
    await dialog.findByText(errors.custody_proof_invalid.what);
    left.push(Number(/\d/.exec(dialog.getByText(/^\d tries left|^Last try/).textContent ?? "")?.[0] ?? 1));
    fireEvent.click(dialog.getByRole("button", { name: words.app.cancel }));
  };
  await choose();
  await prove("ZZZZZZ", "Stranger");
  await giveUp();
  await choose();
  await prove("ZZZZZZ", "Stranger");
  await giveUp();
  await choose();
  await prove("ZZZZZZ", "Stranger");
  await failed({ code: "custody_proof_attempts_exceeded" });
  expect(left).toEqual([2, 1]);
  expect((await screen.findAllByText(/No tries left/)).length).toBeGreaterThan(0);
});

test("a booking that is plainly another is not sent, and costs no try", async () => {
  const answers: (CustodyProofInput | null)[] = [];
  renderApp(PATH, {
    transfer: async (collector) => {
      const hints = { maskedRecordLocator: "K•••••", maskedSurname: "Å•••••" };
      answers.push(await collector.collect(promptOf({ hints })));
      return { ok: false, error: new CustodyProofCancelledException() };
    },
  });
  await choose();
  await prove("ABC123", "Lovelace");
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText(/begins with K/);
  dialog.getByText("3 tries left");
  expect(answers).toEqual([]);
  // The reference was wrong. A surname may be written in several ways: only the service can check it.
  expect(await prove("k7q2zd", "Angstrom")).toEqual(["", "Lovelace"]);
  await waitFor(() => expect(answers).toEqual([{ recordLocator: "K7Q2ZD", surname: "ANGSTROM" }]));
});

test("what was typed to unlock a tag is still there after its link has fallen", async () => {
  const answers: (CustodyProofInput | null)[] = [];
  renderApp(PATH, {
    transfer: async (collector) => {
      answers.push(await collector.collect(promptOf()));
      return { ok: false, error: new BluetoothError("link_lost", "") };
    },
  });
  await choose();
  expect(await prove("K7Q2ZD", "Müller")).toEqual(["", ""]);
  await failed({ code: "link_lost" });
  press(words.app.again);
  expect(await prove("K7Q2ZD", "Müller")).toEqual(["K7Q2ZD", "MÜLLER"]);
});

test("a pair that finds nothing says what may be wrong with it, and stays typed", async () => {
  const error = new ServiceError("journey_not_found", "");
  const client = renderApp("/", { journey: { ok: false, error } });
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
  fireEvent.input(field(words.start.recordLocator), { target: { value: "ABC 1O" } });
  fireEvent.input(field(words.start.surname), { target: { value: "Ada Lovelace" } });
  press(words.start.find);
  // A space is how a booking prints it, and no character of it.
  await screen.findByText(passenger.hint.length(5));
  expect(client.calls).toContain("fromRecordLocator ABC1O Ada Lovelace");
  screen.getByText(passenger.hint.looks);
  screen.getByText(passenger.hint.surname);
  fireEvent.click(screen.getByRole("link", { name: words.start.scan }));
  await heading(passenger.scan.title);
  fireEvent.click(screen.getAllByRole("link", { name: words.job.toStart })[0] as HTMLElement);
  await waitFor(() => expect(field(words.start.recordLocator).value).toBe("ABC 1O"));
  expect(field(words.start.surname).value).toBe("Ada Lovelace");
});

test("what was typed, pasted or spoken in another way is sent, and counted, as it was meant", async () => {
  const error = new ServiceError("journey_not_found", "");
  const client = renderApp("/", { journey: { ok: false, error } });
  const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
  const find = async (recordLocator: string, surname: string) => {
    const button = await screen.findByRole("button", { name: words.start.find });
    fireEvent.input(field(words.start.recordLocator), { target: { value: recordLocator } });
    fireEvent.input(field(words.start.surname), { target: { value: surname } });
    fireEvent.click(button);
  };
  await find("ＡＢＣ١٢٣٤\u200f", "Love\u00adlace\u200f");
  await screen.findByText(passenger.hint.length(7));
  expect(screen.queryByText(passenger.hint.accents)).toBeNull();
  await find("\u202aabc۱\u200b۲۳\u202c", "Lovelace");
  await waitFor(() => expect(screen.queryByText(passenger.hint.length(7))).toBeNull());
  expect(client.calls.filter((call) => call.startsWith("fromRecordLocator"))).toEqual([
    "fromRecordLocator ABC1234 Lovelace",
    "fromRecordLocator ABC123 Lovelace",
  ]);
  await find("\u200f", "Lovelace");
  await screen.findByText(words.start.recordLocatorMissing);
  const clipboardData = { getData: () => "\u202bABC۱۲۳\u202c, Lord‑Jones\u200f " };
  fireEvent.paste(field(words.start.recordLocator), { clipboardData });
  expect(field(words.start.recordLocator).value).toBe("ABC123");
  expect(field(words.start.surname).value).toBe("Lord‐Jones");
});
