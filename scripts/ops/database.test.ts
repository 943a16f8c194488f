import { expect, it } from "vitest";
import { operate } from "./operate.ts";
import { sentenceOf } from "./sentences.ts";
import { inlined } from "./sql-text.ts";

/** Statements as text, which is how wrangler takes them, and deployments without a database. */

it("at a deployment that has no database yet, says which environment to name, and asks nobody", async () => {
  const said = async (...words: string[]) =>
    sentenceOf(
      await operate(["client", "list", "--remote", ...words], { print: () => undefined, env: {} }).catch(
        (error: unknown) => error,
      ),
    );
  expect(await said()).toContain("say --env production or --env staging");
  expect(await said("--env", "staging")).toContain("[env.staging] of wrangler.toml has no database");
  expect(await said("--env", "moon")).toBe("--env is one of staging, production");
});

it("the doctor lists what such a deployment lacks", async () => {
  const lines: string[] = [];
  const words = ["doctor", "--remote", "--env", "production"];
  const looked = operate(words, { print: (line) => lines.push(line), env: {} });
  await expect(looked).rejects.toThrow("checks failed");
  expect(lines.join("\n")).toContain("FAIL\twrangler.toml\tdatabase_id is the placeholder");
  expect(lines.join("\n")).toContain("FAIL\tdomain\ttags.example.com is the example");
});

it("as text that SQLite reads back as it was", () => {
  expect(inlined("values (?, ?, ?, ?)", ["it's", 1.5, null, true])).toBe("values ('it''s', 1.5, null, 1)");
  expect(() => inlined("values (?)", [])).toThrow(TypeError);
  expect(() => inlined("values (?)", ["a\0b"])).toThrow(TypeError);
  expect(() => inlined("values (?)", [{}])).toThrow(TypeError);
});
