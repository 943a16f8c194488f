import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { storage } from "../test-support/fake-taglatch.ts";
import {
  forgetReminder,
  forgetReminders,
  hasReminder,
  keepReminder,
  openPage,
  showNews,
  type Windows,
} from "./news.ts";

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
const NOW = Date.parse("2099-11-22T14:00:00Z");
const kept = (words: (place: string) => Promise<Response | undefined>) =>
  ({ match: words }) as unknown as CacheStorage;

describe("a push", () => {
  test("is shown in the words that the page has left, one notification for all", async () => {
    const { did, windows } = browser();
    await showNews(
      windows,
      kept(async (place) => (place === "/news" ? new Response("Nachricht") : undefined)),
      NOW,
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
      await showNews(windows, kept(words), NOW);
      expect(did).toEqual([["There is news about your bag", "news"]]);
    },
  );
});

describe("a reminder that the phone asked for", () => {
  const HOUR = 3_600_000;
  const shown = async (now: number) => {
    const { did, windows } = browser();
    await showNews(windows, caches, now);
    return (did[0] as [string])[0];
  };
  beforeEach(async () => {
    vi.stubGlobal("caches", storage());
    await keepReminder("ebt-21-0001", NOW, "Clear it");
    await (await caches.open("news")).put("/news", new Response("News"));
  });
  afterEach(() => vi.unstubAllGlobals());

  test("is what the first message after landing says, for all tags that have landed", async () => {
    await keepReminder("ebt-21-0002", NOW, "Clear it");
    await keepReminder("ebt-21-0003", NOW + 99 * HOUR, "Clear it");
    const said = [await shown(NOW - 1), await shown(NOW), await shown(NOW + 1), await shown(NOW + 99 * HOUR)];
    expect(said).toEqual(["News", "Clear it", "News", "Clear it"]);
  });

  test("is not what a message days later says", async () => {
    expect([await shown(NOW + 48 * HOUR), await caches.delete("reminders")]).toEqual(["News", false]);
  });

  test("is forgotten for a lost tag alone, and with the person", async () => {
    await keepReminder("ebt-21-0002", NOW, "Clear it");
    await forgetReminder("ebt-21-0001");
    expect([await hasReminder("ebt-21-0001"), await hasReminder("ebt-21-0002")]).toEqual([false, true]);
    await forgetReminders();
    expect(await shown(NOW)).toBe("News");
  });
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
