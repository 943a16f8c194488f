import { describe, expect, test } from "vitest";
import { openPage, showNews, type Windows } from "./news.ts";

/** What the service worker does when a push comes, and when its notification is tapped. */

function browser(open: readonly string[] = []) {
  const did: unknown[] = [];
  const windows: Windows = {
    registration: { showNotification: async (title, { tag }) => void did.push([title, tag]) },
    clients: {
      matchAll: async () => open.map((name) => ({ focus: async () => did.push(`focus ${name}`) })),
      openWindow: async (address) => did.push(`open ${address}`),
    },
  };
  return { did, windows };
}
const kept = (words: () => Promise<Response | undefined>) => ({ match: words }) as unknown as CacheStorage;

describe("a push", () => {
  test("is shown in the words that the page has left, one notification for all", async () => {
    const { did, windows } = browser();
    await showNews(
      windows,
      kept(async () => new Response("Nachricht")),
    );
    expect(did).toEqual([["Nachricht", "news"]]);
  });

  test.each([
    ["has left none", async () => undefined],
    ["has left nothing", async () => new Response("")],
    ["cannot be asked", async () => Promise.reject(new DOMException("", "SecurityError"))],
  ])(
    "is shown in English where the page %s: one that shows nothing costs the right to push",
    async (_, words) => {
      const { did, windows } = browser();
      await showNews(windows, kept(words));
      expect(did).toEqual([["There is news about your bag", "news"]]);
    },
  );
});

describe("its notification", () => {
  test("brings the open page to the front, and does not lead it elsewhere", async () => {
    const { did, windows } = browser(["first", "second"]);
    await openPage(windows);
    expect(did).toEqual(["focus first"]);
  });

  test("opens the start of a page that is closed", async () => {
    const { did, windows } = browser();
    await openPage(windows);
    expect(did).toEqual(["open /"]);
  });
});
