import { expect, test } from "vitest";
import { AREAS, areaOf } from "./areas.ts";
import { chosenFiles } from "./choose.ts";

test("every name in an area is that of a file or a folder that is there", () => {
  const paths = chosenFiles([]).map(({ path }) => path);
  const names = AREAS.flatMap(({ files }) => files);
  expect(names.filter((name) => !paths.some((path) => path.startsWith(name)))).toEqual([]);
});

test("a folder's files are its area's, those of the folders in it are not", () => {
  expect(areaOf("sdk/flows/transfer.ts")?.name).toBe("SDK flows");
  expect(areaOf("sdk/tag/v21.ts")?.name).toBe("SDK Bluetooth");
  expect(areaOf("examples/bundled/main.ts")).toBeUndefined();
});
