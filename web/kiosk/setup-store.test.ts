import "fake-indexeddb/auto";
import { openDB } from "idb";
import { describe, expect, test } from "vitest";
import { ServiceError, type StaffProof } from "../../sdk/index.ts";
import { fakeTaglatch } from "../test-support/fake-taglatch.ts";
import {
  openSetupStore,
  type SaveParts,
  type Settings,
  type SetupForm,
  saveSetup,
  signInWith,
} from "./setup.ts";

const SETTINGS: Settings = {
  name: "OSL 12",
  airline: "SK",
  airport: "OSL",
  scanner: "both",
  sound: true,
  speech: { offered: "headphones", key: "F5", rate: "slow" },
};
const SECRET = "a secret of one hundred and twenty-eight bits";
const FORM: SetupForm = {
  ...SETTINGS,
  speech: { offered: "headphones", key: "F5", rate: "slow" },
  airline: " sk ",
  sound: "on",
  clientKey: "",
  secret: SECRET,
  username: " kiosk-osl-1 ",
  password: "password",
};

let stores = 0;
const freshName = () => `setup-${++stores}`;

describe("the set-up of a kiosk", () => {
  test("is what was saved, secret and all", async () => {
    const name = freshName();
    await openSetupStore(name).save(SETTINGS, SECRET);
    const again = openSetupStore(name);
    expect(await again.settings()).toEqual(SETTINGS);
    expect(await again.secret()).toBe(SECRET);
  });

  test("is nothing on a fresh device", async () => {
    const store = openSetupStore(freshName());
    expect(await store.settings()).toBeUndefined();
    expect(await store.secret()).toBeUndefined();
  });

  test("holds the secret sealed, under a key that cannot be exported", async () => {
    const name = freshName();
    await openSetupStore(name).save(SETTINGS, SECRET);
    const db = await openDB(name);
    const { key, sealedSecret, ...rest } = await db.get("setup", "kiosk");
    db.close();
    expect(JSON.stringify(rest)).not.toContain(SECRET);
    expect(new TextDecoder().decode(sealedSecret)).not.toContain(SECRET);
    await expect(crypto.subtle.exportKey("raw", key)).rejects.toThrow();
  });
});

/** A service that knows one secret, and with `staff` one member of staff. */
function serviceWith(secret: string, staff?: StaffProof) {
  const seen: unknown[] = [];
  const client = fakeTaglatch(staff && { staff });
  const createClient = async (clientKey?: string) => ({
    ...client,
    session: {
      ...client.session,
      loginB2B: async (credentials: { username: string; password: string; b2bSecret: string }) => {
        seen.push({ clientKey, ...credentials });
        return credentials.b2bSecret === secret
          ? ({ ok: true, value: { method: "b2b-secret" } } as const)
          : ({ ok: false, error: new ServiceError("invalid_credentials", "") } as const);
      },
    },
  });
  return { seen, createClient };
}

/** As a form does where the client demands no PIN. */
async function save(form: SetupForm, parts: SaveParts) {
  const accepted = await signInWith(form, parts);
  return accepted.ok ? saveSetup(accepted.value, parts) : accepted;
}

describe("saving the set-up", () => {
  test("signs in with it first, and keeps it tidied", async () => {
    const setup = openSetupStore(freshName());
    const { seen, createClient } = serviceWith(SECRET);
    expect(await save({ ...FORM, clientKey: " own-key " }, { setup, createClient })).toMatchObject({
      ok: true,
    });
    expect(seen).toEqual([
      { clientKey: "own-key", username: "kiosk-osl-1", password: "password", b2bSecret: SECRET },
    ]);
    expect(await setup.settings()).toEqual({ ...SETTINGS, clientKey: "own-key" });
  });

  test("saves nothing the service does not accept", async () => {
    const setup = openSetupStore(freshName());
    const { createClient } = serviceWith("another");
    expect(await save(FORM, { setup, createClient })).toMatchObject({
      error: { code: "invalid_credentials" },
    });
    expect(await setup.settings()).toBeUndefined();
  });

  test("keeps the secret of the device where none is typed", async () => {
    const setup = openSetupStore(freshName());
    const { createClient } = serviceWith(SECRET);
    await save(FORM, { setup, createClient });
    await save({ ...FORM, name: "OSL 13", secret: "" }, { setup, createClient });
    expect(await setup.settings()).toMatchObject({ name: "OSL 13" });
    expect(await setup.secret()).toBe(SECRET);
  });

  test("waits for id and PIN where the service demands them", async () => {
    const setup = openSetupStore(freshName());
    const ada = { id: "1001", pin: "246813" };
    const { createClient } = serviceWith(SECRET, ada);
    const accepted = await signInWith(FORM, { setup, createClient });
    if (!accepted.ok) throw accepted.error;
    expect(accepted.value.pinRequired).toBe(true);
    const wrong = await saveSetup(accepted.value, { setup }, { ...ada, pin: "0000" });
    expect(wrong).toMatchObject({ error: { code: "invalid_credentials" } });
    expect(await setup.settings()).toBeUndefined();
    expect(await saveSetup(accepted.value, { setup }, ada)).toMatchObject({ ok: true });
    expect(await setup.settings()).toEqual(SETTINGS);
  });
});
