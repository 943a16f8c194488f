import { expect, test } from "vitest";
import { readCommandLine, WordsError } from "../command-line.ts";
import { TAG, tagOptions } from "./options.ts";

const readOptions = (args: readonly string[], environment: Readonly<Record<string, string>>) =>
  tagOptions(readCommandLine(TAG, args), environment);

test("without options a v2.1 tag is made of the first adapter, beside the local service", () => {
  expect(readOptions([], { STATE_DIR: "/state" })).toEqual({
    radio: "hci0",
    asRoot: false,
    generation: "2.1",
    id: undefined,
    service: "http://localhost:8787",
    folder: "/state/tag-2.1",
    pagePort: 8_799,
    maker: undefined,
  });
});

test("an empty PORT and an empty STATE_DIR count as absent", () => {
  expect(readOptions([], { PORT: "", STATE_DIR: "" })).toEqual(readOptions([], {}));
});

test("each option is taken", () => {
  const args =
    "--radio hci1 --sudo --generation 2.0 --id t --service https://s/ --state f --page-port 1 --maker m";
  expect(readOptions(args.split(" "), {})).toEqual({
    radio: "hci1",
    asRoot: true,
    generation: "2.0",
    id: "t",
    service: "https://s",
    folder: "f",
    pagePort: 1,
    maker: "m",
  });
});

test.each([
  [["--generation", "3"]],
  [["--page-port", "70000"]],
  [["--page-port", "x"]],
  [["--maker"]],
  [["--nonsense"]],
  [["stray"]],
])("%j is refused", (args) => {
  expect(() => readOptions(args, {})).toThrow(WordsError);
});
