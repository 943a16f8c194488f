import { expect, it } from "vitest";
import { readOptions, WordsError } from "./command-line.ts";

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
