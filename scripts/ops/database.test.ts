import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError, WordsError } from "../../kit/command-line.ts";
import { ROOT } from "../project-files.ts";
import { temporaryFolder } from "../test/test-support/temporary-folder.ts";
import { remoteBucket } from "./archive-stores.ts";
import { inlined } from "./d1-over-text.ts";
import { stateDirOf, type Target } from "./database.ts";
import { copyPreparedState, failureOf, outcomeOf } from "./test-support/operator.ts";

/** Statements as text, which is how wrangler takes them, and deployments without a database. */

it("at a deployment that has no database yet, says which environment to name, and asks no service", async () => {
  const notes: string[] = [];
  const note = (line: string) => void notes.push(line);
  const said = async (...words: string[]) =>
    (await outcomeOf(["client", "list", "--remote", ...words], { note })).sentence;
  expect(await said()).toContain("say --env production or --env staging");
  expect(await said("--env", "staging")).toContain("[env.staging] of wrangler.toml has no database");
  expect(notes[1]).toBe("database: taglatch-staging, the deployment's (staging)");
});

describe("this machine's database", () => {
  const state = temporaryFolder();
  const running = (port: number, stateDir: string) => ({ pid: 1, port, stateDir });
  const [one, two] = [running(8787, "/one"), running(8788, "/two")];
  const here = { kind: "local" } as const;

  it("is that of the folder that was named, else of the service that runs, else the usual one", () => {
    expect(stateDirOf({ ...here, stateDir: "/named" }, [one])).toBe("/named");
    expect(stateDirOf(here, [one])).toBe("/one");
    expect(stateDirOf(here, [])).toBe(join(ROOT, ".wrangler/state"));
    expect(stateDirOf(here, [one, running(8788, "/one")])).toBe("/one");
  });

  it("of several services is that of PORT, and without it a question", () => {
    expect(stateDirOf({ ...here, port: "8788" }, [one, two])).toBe("/two");
    expect(stateDirOf({ ...here, port: "9999" }, [one, two])).toBe(join(ROOT, ".wrangler/state"));
    expect(() => stateDirOf(here, [one, two])).toThrow(
      new WordsError(
        "several services run on this machine: say --state, or PORT=8787 or PORT=8788 before the command",
      ),
    );
  });

  it("is chosen as if PORT and STATE_DIR were absent where they are empty", async () => {
    const targets: Target[] = [];
    const open = (target: Target) => {
      targets.push(target);
      return Promise.reject(new UsageError("seen"));
    };
    await outcomeOf(["client", "list"], { env: { PORT: "", STATE_DIR: "" }, open });
    expect(targets).toEqual([here]);
  });

  it("is named before the answer, and none is made where there is none", async () => {
    const notes: string[] = [];
    const note = (line: string) => void notes.push(line);
    const list = () => outcomeOf(["client", "list", "--state", state], { note });
    expect(failureOf(await list())).toEqual([
      expect.stringContaining(`there is no database in ${state}: \`npm start\` makes one`),
      1,
    ]);
    expect(readdirSync(state)).toEqual([]);
    await copyPreparedState(state);
    await list();
    expect(notes[0]).toBe(`database: this machine's, ${state}`);
  });
});

it("the archive is read within its jurisdiction", async () => {
  const asked: (readonly string[])[] = [];
  const wrangler = async (args: readonly string[]) => {
    asked.push(args);
    return "row";
  };
  expect(await remoteBucket({ bucket_name: "a" }, wrangler).get("audit/1")).toBe("row");
  expect(await remoteBucket({ bucket_name: "b", jurisdiction: "eu" }, wrangler).get("audit/1")).toBe("row");
  const get = (object: string) => ["r2", "object", "get", object, "--remote", "--pipe"];
  expect(asked).toEqual([get("a/audit/1"), [...get("b/audit/1"), "--jurisdiction", "eu"]]);
});

it("the doctor lists what such a deployment lacks", async () => {
  const { lines, sentence } = await outcomeOf(["doctor", "--remote", "--env", "production"]);
  expect(sentence).toContain("checks failed");
  expect(lines.join("\n")).toContain("FAIL\twrangler.toml\tdatabase_id is the placeholder");
  expect(lines.join("\n")).toContain("FAIL\tdomain\ttags.example.com is the example");
});

it("as text that SQLite reads back as it was", () => {
  expect(inlined("values (?, ?, ?, ?)", ["it's", 1.5, null, true])).toBe("values ('it''s', 1.5, null, 1)");
  expect(() => inlined("values (?)", [])).toThrow(TypeError);
  expect(() => inlined("values (?)", ["a\0b"])).toThrow(TypeError);
  expect(() => inlined("values (?)", [{}])).toThrow(TypeError);
});
