import { describe, expect, it } from "vitest";
import type { Assets } from "../http/assets.ts";
import { startService } from "../test-support/service.ts";
import { reference } from "./open-api.ts";

const request = new Request("https://taglatch.test/docs");
const file = (status: number): Assets => ({
  fetch: async () =>
    new Response("<html>", { status, headers: { "Content-Security-Policy": "script-src 'none'" } }),
});

describe("the reference at /docs", () => {
  it("is the build's page under a policy of its own, which names no other origin", async () => {
    const answer = await reference(request, file(200));
    expect(await answer.text()).toBe("<html>");
    const policy = answer.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /);
    expect(policy).not.toMatch(/https?:|unsafe|\*/);
  });

  it.each([
    ["the build has none", file(404)],
    ["there is no build", undefined],
  ])("is not found where %s", async (_, assets) => {
    await expect(reference(request, assets)).rejects.toMatchObject({ code: "not_found" });
  });

  it("is read, never written", async () => {
    const answer = await (await startService()).fetch("/docs", { method: "POST" });
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });
});
