import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { toBase64 } from "../core/encoding/bytes.ts";
import { PROFILE } from "../core/gatt/profile.ts";
import { toPem } from "../core/pki/pem.ts";
import { installVirtualTags, type VirtualTags } from "./install.ts";
import { type Parties, parties } from "./test-support/parties.ts";

const ids = ["ebt-21-0001", "ebt-21-0002", "ebt-20-0005"];
let people: Parties;
let tagRows: unknown[];
beforeAll(async () => {
  people = await parties();
  tagRows = await Promise.all(ids.map(row));
});

async function row(id: string) {
  if (!id.startsWith("ebt-21")) return { id, generation: "2.0", privateJwk: null, certificateChain: null };
  const { chain, privateKey } = await people.tags.issue(id);
  const privateJwk = await crypto.subtle.exportKey("jwk", privateKey);
  return { id, generation: "2.1", privateJwk, certificateChain: chain.map(toBase64) };
}

const realFetch = globalThis.fetch;
let handle: VirtualTags | undefined;
afterEach(() => {
  handle?.uninstall();
  handle = undefined;
  globalThis.fetch = realFetch;
});

/** A service that answers these two paths, or with the given status. */
function serve(status = 200, origin = ""): void {
  globalThis.fetch = async (path) => {
    const trust = {
      clientRoots: [toPem(people.clients.root)],
      tagRoots: [toPem(people.tags.root)],
      tokenKeys: { keys: people.tokens.keys },
    };
    const body = String(path) === `${origin}/demo/tags.json` ? tagRows : trust;
    return Response.json(body, { status });
  };
}

const pick = () => navigator.bluetooth.requestDevice({ filters: [{ services: [PROFILE.service] }] });

describe("virtual tags in a page", () => {
  it("take the radio's place until they are uninstalled", async () => {
    serve();
    const before = navigator.bluetooth;
    handle = await installVirtualTags();
    expect(handle.tags.map(({ name }) => name)).toEqual(["EBT-0001", "EBT-0002", "EBT-0005"]);
    const device = await pick();
    await device.gatt?.connect();
    expect(handle.tags[0]?.snapshot().connected).toBe(true);
    handle.uninstall();
    expect(handle.tags[0]?.snapshot().connected).toBe(false);
    expect(navigator.bluetooth).toBe(before);
  });

  it("come as chosen: a tag, none, or what a dialog says", async () => {
    serve();
    handle = await installVirtualTags();
    handle.choice = handle.tags[2] ?? null;
    expect((await pick()).name).toBe("EBT-0005");
    handle.choice = "cancel";
    await expect(pick()).rejects.toMatchObject({ name: "NotFoundError" });
    handle.choice = null;
    handle.chooser = async (tags) => tags.at(1);
    expect((await pick()).name).toBe("EBT-0002");
  });

  it("come from a service of another origin", async () => {
    serve(200, "https://tags.example");
    handle = await installVirtualTags({ baseUrl: "https://tags.example" });
    expect(handle.tags).toHaveLength(ids.length);
  });

  it("are not there where the service has none, or no service is", async () => {
    serve(404);
    await expect(installVirtualTags()).rejects.toMatchObject({ code: "unavailable" });
    globalThis.fetch = () => Promise.reject(new TypeError("offline"));
    await expect(installVirtualTags()).rejects.toMatchObject({ code: "unreachable" });
  });
});
