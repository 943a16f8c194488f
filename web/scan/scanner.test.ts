// @vitest-environment jsdom
import { afterEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { scanWithCamera } from "./scanner.ts";

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
