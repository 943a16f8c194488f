import { expect, it } from "vitest";
import { type CommandLine, helpOf, readCommandLine, readOptions, WordsError } from "./command-line.ts";

const options = {
  expect: { value: "hash", help: "" },
  json: { help: "" },
} as const;

it.each(["-abc", "--Abc_", "-", "plain"])(
  "an option's value may begin with dashes, as a hash may: %s",
  (hash) => {
    expect(readOptions(options, ["--expect", hash, "--json"])).toEqual({ expect: hash, json: true });
  },
);

it.each([[["--expect"]], [["--expect", "--json"]], [["--expect", "--jsno"]], [["--json", "-x"]]])(
  "%s: a value that is missing is named, and no option is taken for one",
  (words) => {
    expect(() => readOptions(options, words)).toThrow(WordsError);
  },
);

const LINE = {
  usage: "npm run x -- [go]",
  words: { go: "goes" },
  options: { file: { value: "file", reads: "file", help: "read first" }, fast: { help: "at once" } },
} as const satisfies CommandLine;

it("a command's words, values and switches are read; a switch that is not there is off", () => {
  const given = readCommandLine(LINE, ["go", "--file", "package.json"]);
  expect(given).toEqual({ words: ["go"], values: { file: "package.json", fast: false } });
});

it("a number is one, and a list has no repetitions; without values it is empty", () => {
  const list = { value: "name", list: true, help: "" } as const;
  const options = { most: { value: "number", isNumber: true, help: "" }, only: list, not: list } as const;
  const { values } = readCommandLine({ usage: "", options }, ["--most", "7", "--only", "a", "--only", "a"]);
  expect(values).toEqual({ most: 7, only: ["a"], not: [] });
});

it.each([
  [["--file", "nowhere"], "--file names no file: nowhere"],
  [["--fast", "--fast"], "--fast is given twice"],
  [["--file", ""], "--file is empty"],
  [["--slow"], "Unknown option '--slow'"],
])("%j is refused", (args, message) => {
  expect(() => readCommandLine(LINE, args)).toThrow(WordsError);
  expect(() => readCommandLine(LINE, args)).toThrow(message);
});

it("a word is refused where a command has none", () => {
  expect(() => readCommandLine({ usage: "npm run x", options: {} }, ["go"])).toThrow(WordsError);
});

it("the help has a line for each word and option, and for itself", () => {
  expect(
    helpOf(LINE)
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/)),
  ).toEqual([
    ["npm run x -- [go]"],
    ["go", "goes"],
    ["--file <file>", "read first"],
    ["--fast", "at once"],
    ["--help", "these lines"],
  ]);
});
