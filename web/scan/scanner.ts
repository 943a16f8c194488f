/** Camera and reader together: looks until a code is accepted. The one entrance of this folder. */
import { type Camera, CameraError, type CameraErrorCode, openCamera } from "./camera.ts";
import type { CodeKind } from "./code-kinds.ts";
import type { CodeReader } from "./code-reader.ts";
import { createCodeReader } from "./create-code-reader.ts";

export { mayUseCamera } from "./camera.ts";
export type { CodeKind } from "./code-kinds.ts";

/** Pause between two looks, in milliseconds: enough for the page to draw, too short to notice. */
const REST = 60;

export type ScanProblem =
  | CameraErrorCode
  /** The camera ended by itself. */
  | "lost"
  | "reader_unavailable"
  | "no_code"
  | "not_a_picture";

export type ScanResult =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: ScanProblem };

export interface ScanOptions {
  readonly kinds: readonly CodeKind[];
  /** Whether a text is the one sought; if not, the search continues. */
  readonly accept: (text: string) => boolean;
  readonly signal: AbortSignal;
}

export interface CameraOptions extends ScanOptions {
  readonly video: HTMLVideoElement;
  /** Called when the picture is there; `torch` if the camera has a light. */
  readonly onOpen: (torch: Camera["torch"]) => void;
}

/**
 * Opens the camera and looks; undefined once `signal` has fired. Camera and reader are released in every
 * case.
 */
export async function scanWithCamera(options: CameraOptions): Promise<ScanResult | undefined> {
  const { signal, video } = options;
  const lost = new AbortController();
  let camera: Camera | undefined;
  let reader: CodeReader | undefined;
  const stop = () => {
    camera?.close();
    reader?.close();
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    camera = await openCamera(video, () => lost.abort());
    if (signal.aborted) return undefined;
    options.onOpen(camera.torch);
    reader = await readerFor(options.kinds);
    if (signal.aborted) return undefined;
    return await look(camera, reader, options, lost.signal);
  } catch (error) {
    return signal.aborted ? undefined : { ok: false, problem: problemOf(error) };
  } finally {
    stop();
    signal.removeEventListener("abort", stop);
  }
}

/** Reads one picture from a file. */
export async function scanPhoto(file: Blob, options: ScanOptions): Promise<ScanResult> {
  let picture: ImageBitmap;
  try {
    picture = await createImageBitmap(file);
  } catch {
    return { ok: false, problem: "not_a_picture" };
  }
  let reader: CodeReader | undefined;
  try {
    reader = await readerFor(options.kinds);
    const text = await reader.read(picture);
    return text !== undefined && options.accept(text)
      ? { ok: true, text }
      : { ok: false, problem: "no_code" };
  } catch (error) {
    return { ok: false, problem: problemOf(error) };
  } finally {
    reader?.close();
  }
}

async function look(
  camera: Camera,
  reader: CodeReader,
  { accept, signal, video }: CameraOptions,
  lost: AbortSignal,
): Promise<ScanResult | undefined> {
  while (!signal.aborted) {
    if (lost.aborted) return { ok: false, problem: "lost" };
    // A hidden page sees nothing, and its camera may be muted.
    if (!document.hidden && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) {
      const text = await reader.read(await camera.picture());
      if (signal.aborted) return undefined;
      if (text !== undefined && accept(text)) return { ok: true, text };
    }
    await new Promise((resolve) => setTimeout(resolve, REST));
  }
  return undefined;
}

class ReaderUnavailable extends Error {}

async function readerFor(kinds: readonly CodeKind[]): Promise<CodeReader> {
  try {
    return await createCodeReader(kinds);
  } catch (cause) {
    throw new ReaderUnavailable("no reader", { cause });
  }
}

function problemOf(error: unknown): ScanProblem {
  if (error instanceof CameraError) return error.code;
  return error instanceof ReaderUnavailable ? "reader_unavailable" : "lost";
}
