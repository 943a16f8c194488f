// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { nativeReader } from "./scanner.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser's detector that knows `formats` and sees `codes`. */
function detector(formats: readonly string[], codes: readonly string[] = []) {
  const asked: (readonly string[])[] = [];
  class BarcodeDetector {
    static getSupportedFormats = async () => formats;
    constructor(options: { readonly formats: readonly string[] }) {
      asked.push(options.formats);
    }
    async detect() {
      return codes.map((rawValue) => ({ rawValue }));
    }
  }
  vi.stubGlobal("BarcodeDetector", BarcodeDetector);
  return asked;
}

function picture() {
  const close = vi.fn();
  return { bitmap: { close } as unknown as ImageBitmap, close };
}

const ALL = ["aztec", "code_128", "pdf417", "qr_code"];

test("the browser's own detector reads, where it knows all the codes of boarding passes", async () => {
  const asked = detector(ALL, ["M1LOVELACE/ADA"]);
  const { bitmap, close } = picture();
  const reader = await nativeReader();
  expect(await reader?.read(bitmap)).toBe("M1LOVELACE/ADA");
  expect(asked).toEqual([["pdf417", "aztec", "qr_code"]]);
  expect(close).toHaveBeenCalledOnce();
});

test("a picture without a code reads as nothing, and is let go of", async () => {
  detector(ALL, [""]);
  const { bitmap, close } = picture();
  expect(await (await nativeReader())?.read(bitmap)).toBeUndefined();
  expect(close).toHaveBeenCalledOnce();
});

test.each(["pdf417", "aztec", "qr_code"])("a detector without %s is none", async (missing) => {
  detector(ALL.filter((format) => format !== missing));
  expect(await nativeReader()).toBeUndefined();
});

test("a browser without a detector, or whose service is missing, has none", async () => {
  expect(await nativeReader()).toBeUndefined();
  vi.stubGlobal("BarcodeDetector", { getSupportedFormats: () => Promise.reject(new Error("no service")) });
  expect(await nativeReader()).toBeUndefined();
});
