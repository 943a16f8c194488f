import { expect, test } from "vitest";
import { RadioError, type RadioErrorCode } from "../radio/radio-error.ts";
import { helpFor } from "./help.ts";

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
