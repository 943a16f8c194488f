import { expect, test, vi } from "vitest";
import { fromBase64Url, fromUtf8 } from "../../core/encoding/bytes.ts";
import { Database } from "../database.ts";
import { signJws } from "./http.ts";
import { loadAppKey } from "./session.ts";

test("the key is made once and then the same, its private half not extractable", async () => {
  const generate = vi.spyOn(crypto.subtle, "generateKey");
  const database = new Database("app-key");
  const key = await loadAppKey(database);
  expect(await loadAppKey(new Database("app-key"))).toMatchObject({ thumbprint: key.thumbprint });
  expect(generate).toHaveBeenCalledTimes(1);
  expect(key.privateKey).toMatchObject({ extractable: false, usages: ["sign"] });
  vi.restoreAllMocks();
});

test("what is signed names its kind, its algorithm and the public key", async () => {
  const key = await loadAppKey(new Database("app-key-header"));
  const [header = "", claims = ""] = (await signJws(key, "kind+jwt", { iat: 1 })).split(".");
  const read = (part: string) => JSON.parse(fromUtf8(fromBase64Url(part)));
  expect(read(header)).toEqual({ alg: "ES256", typ: "kind+jwt", jwk: key.jwk });
  expect(read(claims)).toEqual({ iat: 1 });
});
