// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { ServiceError, type Taglatch } from "../../sdk/index.ts";
import { fakeTaglatch } from "../test-support/fake-taglatch.ts";
import { createHandOver } from "./hand-over.ts";

const HOST = "https://host.example";
const TOKEN = ["{}", JSON.stringify({ iss: HOST }), "signature"].map((part) => btoa(part)).join(".");

/** The page of a hand-over, with the steps that it takes with the service and with this device in their order. */
function page(token?: string, list?: Taglatch["journeys"]["list"]) {
  const did: string[] = [];
  const client = fakeTaglatch();
  const loginFederated = async () => {
    did.push("login");
    return { ok: true, value: { method: "federated" } } as const;
  };
  const known = {
    ...client,
    journeys: { ...client.journeys, list: list ?? client.journeys.list },
    session: { ...client.session, loginFederated },
  };
  const [erased, origins] = [withResolvers<void>(), Promise.resolve([HOST])];
  const forget = () => {
    did.push("forget");
    return erased.promise;
  };
  const options = { load: async () => known, token, origins: () => origins, forget };
  const made = createRoot((leave) => ({ ...createHandOver(options), leave }));
  return { ...made, did, erased, origins };
}

const sends = (token: string) =>
  dispatchEvent(new MessageEvent("message", { origin: HOST, data: { type: "taglatch.token", token } }));

test("a token that comes by message is asked about, and one that comes after the page was left is not", async () => {
  for (const isLeft of [false, true]) {
    const { state, leave, origins } = page();
    await origins;
    if (isLeft) leave();
    sends(TOKEN);
    expect(state().step).toBe(isLeft ? "waiting" : "asking");
    if (!isLeft) leave();
  }
});

test("what this device keeps of the session before is erased before the page leads on", async () => {
  const { go, state, did, erased } = page(TOKEN);
  go();
  await vi.waitFor(() => expect(did).toEqual(["login", "forget"]));
  await new Promise((resolve) => setTimeout(resolve));
  expect(state().step).toBe("checking");
  erased.resolve();
  await vi.waitFor(() => expect(state().step).toBe("done"));
});

test("it is erased although the new session's journeys cannot be loaded", async () => {
  const list = async () => ({ ok: false, error: new ServiceError("service_unavailable", "") }) as const;
  const { go, state, did, erased } = page(TOKEN, list);
  erased.resolve();
  go();
  await vi.waitFor(() => expect(state().step).toBe("failed"));
  expect(did).toEqual(["login", "forget"]);
});

test("leaving the page while it checks keeps the previous session", async () => {
  const { go, did, leave } = page(TOKEN);
  go();
  leave();
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(did).toEqual([]);
});
