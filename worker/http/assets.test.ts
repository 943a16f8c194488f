import { describe, expect, it } from "vitest";
import type { Theme } from "../../core/api/index.ts";
import { PAGE_PATHS } from "../../core/api/page-paths.test-support.ts";
import { serveAsset } from "./assets.ts";

const files: Record<string, string> = { "/": "the page", "/assets/a.js": "a script" };
const assets = {
  fetch: async ({ url }: Request) => {
    const content = files[new URL(url).pathname];
    return new Response(content ?? "none", { status: content === undefined ? 404 : 200 });
  },
};
const get = (path: string, method = "GET", headers: HeadersInit = {}) =>
  serveAsset(new Request(`https://taglatch.test${path}`, { method, headers }), assets);
/** What a browser sends with a navigation. */
const NAVIGATION = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

/** The build's documents. */
const screens = {
  fetch: async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (pathname === "/") return new Response("index");
    const screen = /^\/screens\/(\w+\/\w+)$/.exec(pathname)?.[1];
    return new Response(screen ?? "none", { status: screen === undefined ? 404 : 200 });
  },
};

describe("serveAsset", () => {
  it.each([...PAGE_PATHS, "/?sim"])("answers %s, whatever is asked for, with the page", async (path) => {
    for (const headers of [{}, { Accept: "*/*" }, NAVIGATION]) {
      const response = await get(path, "GET", headers);
      expect([response.status, await response.text()]).toEqual([200, "the page"]);
    }
  });

  it.each([
    ["/journeys/j1", "journey"],
    ["/journeys/j1/bags/2", "transfer"],
    ["/clear", "clear"],
    ["/t", "tag"],
    ["/t/ebt-21-0001", "tag"],
    ["/t/tag-1.v21", "tag"],
    ["/", "start"],
    ["/find", "index"],
    ["/kiosk", "kiosk"],
    ["/kiosk/setup", "kiosk"],
  ])("answers %s with the document that names the files of its screen: %s", async (path, name) => {
    const answer = await serveAsset(new Request(`https://taglatch.test${path}`), screens);
    expect(await answer.text()).toBe(name === "index" ? name : `en/${name}`);
  });

  it.each([
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["pt-BR, fr;q=0.5", "fr"],
    ["da", "nb"],
    ["zh-CN", "zh"],
    ["*", "en"],
    ["", "en"],
    ["../kiosk", "en"],
    ["constructor", "en"],
  ])("names the words of a browser that prefers %j: %s", async (accepted, locale) => {
    const headers = { "Accept-Language": accepted };
    const answer = await serveAsset(new Request("https://taglatch.test/clear", { headers }), screens);
    expect(await answer.text()).toBe(`${locale}/clear`);
    expect(answer.headers.get("Vary")).toBe("Accept-Language");
  });

  it("varies by language where a screen has no document of its own, too", async () => {
    expect((await get("/clear")).headers.get("Vary")).toBe("Accept-Language");
  });

  it("lets only the hand-over keep the window that opened it", async () => {
    const policy = async (path: string) => (await get(path)).headers.get("Cross-Origin-Opener-Policy");
    expect([await policy("/handover"), await policy("/clear")]).toEqual(["unsafe-none", null]);
  });

  it("serves a file that is there", async () => {
    expect(await (await get("/assets/a.js")).text()).toBe("a script");
  });

  const UNKNOWN = [
    ...[
      "/nowhere",
      "/journeys",
      "/kiosks",
      "/kiosk/nowhere",
      "/tag",
      "/find/more",
      "//find",
      "/journeys/a//bags/1",
    ],
    ...["/%66ind", "/assets/old.js", "/assets/folder", "/favicon.ico", "/sw.js", "/deep/image.png"],
    ...["/t/deep/image.png", "/.well-known/none", "/healthz/none", "/docs", "/screens/journey"],
  ];

  it.each(UNKNOWN)("shows a browser that navigates to %s the page, with status 404", async (path) => {
    const response = await get(path, "GET", NAVIGATION);
    expect([response.status, await response.text()]).toEqual([404, "the page"]);
  });

  it.each(UNKNOWN)("refuses %s to every other caller", async (path) => {
    for (const headers of [{}, { Accept: "*/*" }, { Accept: "image/avif,image/webp,*/*;q=0.8" }])
      await expect(get(path, "GET", headers)).rejects.toMatchObject({ code: "not_found" });
  });

  it("has nothing to post to", async () => {
    await expect(get("/", "POST", NAVIGATION)).rejects.toMatchObject({ code: "not_found" });
  });

  it("finds nothing where no files came with the service", async () => {
    const request = new Request("https://taglatch.test/", { headers: NAVIGATION });
    await expect(serveAsset(request, undefined)).rejects.toMatchObject({ code: "not_found" });
  });

  it("serves documents under the airline's name and icon, where there are some", async () => {
    const head = `<title>Taglatch</title><link rel="icon" href="/icon.svg" type="image/svg+xml">`;
    const touch = `<link rel="apple-touch-icon" href="/icons/apple-touch-180.png">`;
    const folder = {
      fetch: async () =>
        new Response(head + touch, { headers: { ETag: '"built"', "Content-Type": "text/html" } }),
    };
    const ask = (theme: Theme, path = "/clear") =>
      serveAsset(new Request(`https://taglatch.test${path}`), folder, theme);
    const plain = await ask({ accent: "#112233" });
    expect([await plain.text(), plain.headers.get("ETag")]).toEqual([head + touch, '"built"']);
    const named = await ask({ name: "Polar & Air" }, "/");
    expect([await named.text(), named.headers.get("ETag")]).toEqual([
      (head + touch).replace("Taglatch", "Polar &amp; Air"),
      null,
    ]);
    const png = await ask({ icon: "/branding/icon.png" }, "/handover");
    expect(await png.text()).toBe(
      `<title>Taglatch</title><link rel="icon" href="/branding/icon.png" type="image/png"><link rel="apple-touch-icon" href="/branding/icon.png">`,
    );
    const svg = await ask({ icon: "/branding/icon.svg" });
    expect(await svg.text()).toBe(head.replace("/icon.svg", "/branding/icon.svg"));
  });

  it("serves the manifest under the airline's name where there is one", async () => {
    const built = { name: "Taglatch", short_name: "Taglatch", start_url: "/" };
    const folder = { fetch: async () => Response.json(built) };
    const ask = (theme?: Theme) =>
      serveAsset(new Request("https://taglatch.test/manifest.webmanifest"), folder, theme);
    expect(await (await ask()).json()).toEqual(built);
    expect(await (await ask({ accent: "#112233" })).json()).toEqual(built);
    const named = await ask({ name: "Polar Air" });
    expect(named.headers.get("Content-Type")).toBe("application/manifest+json");
    expect(await named.json()).toEqual({ ...built, name: "Polar Air", short_name: "Polar Air" });
    expect(await (await ask({ icon: "/branding/icon.png" })).json()).toEqual({
      ...built,
      icons: [{ src: "/branding/icon.png", sizes: "512x512", type: "image/png" }],
    });
  });
});
