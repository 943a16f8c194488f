import { describe, expect, it } from "vitest";
import { serveAsset } from "./assets.ts";

/** A folder with the page and one script. */
const files: Record<string, string> = { "/": "the page", "/assets/a.js": "a script" };
const assets = {
  fetch: async ({ url }: Request) => {
    const content = files[new URL(url).pathname];
    return new Response(content ?? "none", { status: content === undefined ? 404 : 200 });
  },
};
const get = (path: string, method = "GET") =>
  serveAsset(new Request(`https://taglatch.test${path}`, { method }), assets);

describe("serveAsset", () => {
  it.each(["/", "/journeys/j1/bags/2", "/clear", "/kiosk/setup"])(
    "answers %s with the page",
    async (path) => {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([200, "the page"]);
    },
  );

  it("lets only the hand-over keep the window that opened it", async () => {
    const policy = async (path: string) => (await get(path)).headers.get("Cross-Origin-Opener-Policy");
    expect([await policy("/handover"), await policy("/clear")]).toEqual(["unsafe-none", null]);
  });

  it("serves a file that is there", async () => {
    expect(await (await get("/assets/a.js")).text()).toBe("a script");
  });

  it.each([
    "/assets/old.js",
    "/assets/folder",
    "/favicon.ico",
    "/sw.js",
    "/deep/image.png",
    "/.well-known/none",
    "/docs",
  ])("answers %s, which is not there, with 404", async (path) => expect((await get(path)).status).toBe(404));

  it("has nothing to post to", async () => {
    expect((await get("/", "POST")).status).toBe(404);
  });

  it("answers 404 where no files came with the service", async () => {
    expect((await serveAsset(new Request("https://taglatch.test/"), undefined)).status).toBe(404);
  });
});
