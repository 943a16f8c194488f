import { expect, test } from "vitest";
import { readCommandLine, WordsError } from "../command-line.ts";
import { RadioError, type RadioErrorCode } from "../radio/radio-error.ts";
import { helpFor, TAG, tagOptions } from "./options.ts";

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

const STEPS: readonly (readonly [RadioErrorCode, string, string])[] = [
  ["no_bluetooth", "hci0", "--radio /dev/ttyACM0"],
  ["no_adapter", "hci3", "ls /sys/class/bluetooth"],
  ["no_adapter", "/dev/ttyUSB7", "ls /dev/tty*"],
  ["in_use", "hci0", "bluetoothctl power off"],
  ["no_permission", "hci0", "npm run tag -- --sudo"],
  ["no_permission", "/dev/ttyACM0", "usermod -aG dialout"],
  ["no_root", "hci0", "`sudo python3 --version`"],
  ["no_python", "hci0", "apt-get install python3"],
  ["controller_failed", "/dev/ttyACM0", "check the speed"],
  ["lost", "hci0", "Plug it in again"],
  ["lost", "/dev/pts/3", "`npm run phone` offers a new line"],
  ["no_adapter", "/dev/pts/3", "`npm run phone`"],
  ["in_use", "/dev/ttyACM0", "take another line"],
];

test.each(STEPS)("%s at %s names the next step", (code, radio, step) => {
  const sentence = helpFor(new RadioError(code), radio);
  expect(sentence).toContain(step);
  expect(sentence?.split("\n")).toHaveLength(1);
});

test("a fault of ours is not explained away", () => {
  expect(helpFor(new TypeError("x is not a function"), "hci0")).toBeUndefined();
});
