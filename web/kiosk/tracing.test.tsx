import { fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { expect, test } from "vitest";
import type { TracedBag } from "../../sdk/index.ts";
import { kiosk as words } from "../i18n/en-kiosk.ts";
import { heading, PASSWORD, press, renderKiosk, setUpKioskTests } from "../test-support/render-kiosk.tsx";

setUpKioskTests();

const bag = (n: number) =>
  ({
    ...{ uniqueDeviceId: `ebt-21-000${n}`, licencePlate: `011712345${n}`, baggageId: n },
    ...{ lostSince: `2026-11-2${9 - n}T10:00:00Z`, reports: [] },
  }) as unknown as TracedBag;

test("further pages of lost and found bags follow the first", async () => {
  const traced = (cursor: string | undefined) =>
    cursor === undefined ? { bags: [bag(1), bag(2)], nextCursor: "next" } : { bags: [bag(3)] };
  renderKiosk({ script: { traced } });
  await heading(words.attract.scan);
  await press(words.attract.staff);
  await press(words.tracing.title);
  const type = async (label: string, value: string) =>
    fireEvent.input(await screen.findByLabelText(label), { target: { value } });
  await type(words.signIn.username, "kiosk-osl-1");
  await type(words.signIn.password, PASSWORD);
  await press(words.staffProof.submit);
  const shown = () => [...document.querySelectorAll(".kiosk-choices .code")].map((one) => one.textContent);
  await waitFor(() => expect(shown()).toHaveLength(2));
  await press(words.tracing.further);
  await waitFor(() => expect(shown()).toHaveLength(3));
  expect(shown().map((name) => name?.at(-1))).toEqual(["1", "2", "3"]);
  expect(screen.queryByRole("button", { name: words.tracing.further })).toBeNull();
});
