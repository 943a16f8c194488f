import { cleanup, fireEvent, screen, waitFor } from "@solidjs/testing-library";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ServiceError } from "../../sdk/index.ts";
import { renderApp } from "../test-support/render-app.tsx";

beforeEach(() => localStorage.clear());
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const type = (label: string, value: string) =>
  fireEvent.input(screen.getByLabelText(label), { target: { value } });

test("the session is opened once, without a certificate, from a locator's fourth character on", async () => {
  const { session } = renderApp("/");
  const prepare = vi.spyOn(session, "prepare");
  type("Booking reference", "ab 3");
  await Promise.resolve();
  expect(prepare).not.toHaveBeenCalled();
  for (const typed of ["ab 34", "abc", "abc1", "abc123"]) type("Booking reference", typed);
  await waitFor(() => expect(prepare).toHaveBeenCalled());
  expect(prepare.mock.calls).toEqual([[{ certificate: false }]]);
});

test("a session that could not be opened yet says nothing, and the search goes on", async () => {
  const { session } = renderApp("/");
  const error = new ServiceError("too_many_requests", "");
  const prepare = vi.spyOn(session, "prepare").mockResolvedValue({ ok: false, error });
  type("Booking reference", "abc123");
  await waitFor(() => expect(prepare).toHaveBeenCalled());
  expect(screen.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual([""]);
  type("Surname", "Lovelace");
  fireEvent.click(screen.getByRole("button", { name: "Find my trip" }));
  await screen.findByRole("heading", { level: 1, name: "To Helsinki" });
});
