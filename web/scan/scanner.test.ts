// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { nativeReader, scanWithCamera } from "./scanner.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser whose person allows the camera when a test says so. */
function browser() {
  const stop = vi.fn();
  const track = { stop, addEventListener: () => undefined };
  const allowed = withResolvers<unknown>();
  const getUserMedia = () => allowed.promise;
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia } });
  const getSupportedFormats = async () => ["pdf417", "aztec", "qr_code"];
  vi.stubGlobal("BarcodeDetector", Object.assign(vi.fn(), { getSupportedFormats }));
  const allow = () => allowed.resolve({ getVideoTracks: () => [track], getTracks: () => [track] });
  return { stop, allow };
}

function scan() {
  const leave = new AbortController();
  const video = { play: async () => undefined, srcObject: null } as unknown as HTMLVideoElement;
  const onOpen = vi.fn();
  const over = scanWithCamera({
    accept: () => true,
    signal: leave.signal,
    ...{ video, onOpen },
  });
  return { leave, video, onOpen, over };
}

test("a camera that is allowed after the screen was left is switched off at once", async () => {
  const { stop, allow } = browser();
  const { leave, video, onOpen, over } = scan();
  leave.abort();
  allow();
  expect(await over).toBeUndefined();
  expect(stop).toHaveBeenCalled();
  expect(video.srcObject).toBeNull();
  expect(onOpen).not.toHaveBeenCalled();
});

test("a camera is switched off as the screen is left", async () => {
  const { stop, allow } = browser();
  const { leave, onOpen, over } = scan();
  allow();
  await vi.waitFor(() => expect(onOpen).toHaveBeenCalled());
  expect(stop).not.toHaveBeenCalled();
  leave.abort();
  expect(stop).toHaveBeenCalled();
  expect(await over).toBeUndefined();
});

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
