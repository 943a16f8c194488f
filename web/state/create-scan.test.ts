// @vitest-environment jsdom
import { createRoot } from "solid-js";
import { afterEach, expect, test, vi } from "vitest";
import { withResolvers } from "../../sdk/abort.ts";
import { createScan } from "./create-scan.ts";

afterEach(() => vi.unstubAllGlobals());

/** A screen that reads codes; its person allows the camera when a test says so. */
function screen() {
  const stop = vi.fn();
  const track = { stop, addEventListener: () => undefined };
  const [asked, allowed] = [withResolvers<void>(), withResolvers<unknown>()];
  const getUserMedia = () => {
    asked.resolve();
    return allowed.promise;
  };
  vi.stubGlobal("navigator", { mediaDevices: { getUserMedia } });
  const getSupportedFormats = async () => ["pdf417", "aztec", "qr_code"];
  vi.stubGlobal("BarcodeDetector", Object.assign(vi.fn(), { getSupportedFormats }));
  const video = { play: async () => undefined, srcObject: null } as unknown as HTMLVideoElement;
  const { now, open, leave } = createRoot((leave) => ({
    ...createScan({ accept: () => true, video: () => video, onCode: () => undefined }),
    leave,
  }));
  open();
  const allow = () => allowed.resolve({ getVideoTracks: () => [track], getTracks: () => [track] });
  return { stop, asked: asked.promise, allow, video, now, leave };
}

test("a camera that is allowed after the screen was left is switched off at once", async () => {
  const { stop, asked, allow, video, now, leave } = screen();
  await asked;
  leave();
  allow();
  await vi.waitFor(() => expect(stop).toHaveBeenCalled());
  expect(video.srcObject).toBeNull();
  expect(now().state).toBe("opening");
});

test("a camera is switched off as the screen is left", async () => {
  const { stop, allow, now, leave } = screen();
  allow();
  await vi.waitFor(() => expect(now().state).toBe("looking"));
  expect(stop).not.toHaveBeenCalled();
  leave();
  expect(stop).toHaveBeenCalled();
});
