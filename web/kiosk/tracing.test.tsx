import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import type { TracedBag } from "../../sdk/index.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import type { FakeScript } from "../test-support/fake-taglatch.ts";
import { heading, PASSWORD, press, renderKiosk, setUpKioskTests } from "../test-support/render-kiosk.tsx";
import { scan } from "../test-support/scanner.ts";

setUpKioskTests();

const bag = (n: number) =>
  ({
    ...{ uniqueDeviceId: `ebt-21-000${n}`, licencePlate: `011712345${n}`, baggageId: n },
    ...{ lostSince: `2026-11-2${9 - n}T10:00:00Z`, reports: [] },
  }) as unknown as TracedBag;

/** Staff sign in for the list of lost and found bags. */
async function opensTracing(script: FakeScript) {
  renderKiosk({ script });
  await heading(words.attract.scan);
  await press(words.attract.staff);
  await press(words.tracing.title);
  const type = async (label: string, value: string) =>
    fireEvent.input(await screen.findByLabelText(label), { target: { value } });
  await type(words.signIn.username, "kiosk-osl-1");
  await type(words.signIn.password, PASSWORD);
  await press(words.staffProof.submit);
  await heading(words.tracing.title);
}

test("further pages of lost and found bags follow the first", async () => {
  const traced = (cursor: string | undefined) =>
    cursor === undefined ? { bags: [bag(1), bag(2)], nextCursor: "next" } : { bags: [bag(3)] };
  await opensTracing({ traced });
  const shown = () => [...document.querySelectorAll(".tracing-tag")].map((one) => one.textContent);
  await waitFor(() => expect(shown()).toHaveLength(2));
  await press(words.tracing.further);
  await waitFor(() => expect(shown()).toHaveLength(3));
  expect(shown().map((name) => name?.at(-1))).toEqual(["1", "2", "3"]);
  expect(screen.queryByRole("button", { name: words.tracing.further })).toBeNull();
});

test("a row has plate, flight and state, and a scan of the label opens the bag", async () => {
  const all = [bag(1), { ...bag(2), flight: "FT 123" }];
  const traced = (_cursor: unknown, tag?: string) => ({
    bags: all.filter(({ uniqueDeviceId }) => tag === undefined || uniqueDeviceId === tag),
  });
  await opensTracing({ traced });
  const row = await screen.findByRole("button", { name: /^0117123452 FT 123 EBT-\W?0002 Lost since/ });
  expect(row).toBeTruthy();
  scan("0117123452");
  await heading(words.tracing.title);
  await screen.findByRole("heading", { level: 2, name: /0117123452 · FT 123/ });
});

test("the label of a bag that is not listed says so, and starts no visit", async () => {
  await opensTracing({ traced: () => ({ bags: [bag(1)] }) });
  await screen.findByRole("button", { name: /^0117123451/ });
  scan("0117999999");
  await screen.findByText(words.tracing.notListed);
});
