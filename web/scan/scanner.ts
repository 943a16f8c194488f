import type { CodeReader } from "./code-reader.ts";

/** Camera and reader together: looks until a code is accepted. The one entrance of this folder. */

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
  /** Whether a text is the one sought; if not, the search continues. */
  readonly accept: (text: string) => boolean;
  readonly signal: AbortSignal;
}

interface CameraOptions extends ScanOptions {
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
    reader = await readerFor();
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
    reader = await readerFor();
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

/** The browser's own detector if it knows all the symbologies needed, else a wasm one, loaded now. */
async function readerFor(): Promise<CodeReader> {
  try {
    const native = await nativeReader();
    if (native) return native;
    const { wasmReader } = await import("./wasm-reader.ts");
    return await wasmReader();
  } catch (cause) {
    throw new ReaderUnavailable("no reader", { cause });
  }
}

function problemOf(error: unknown): ScanProblem {
  if (error instanceof CameraError) return error.code;
  return error instanceof ReaderUnavailable ? "reader_unavailable" : "lost";
}

/** The Shape Detection API (WICG): in Chrome on Android, macOS and ChromeOS. */
interface Detector {
  detect(source: ImageBitmapSource): Promise<readonly { readonly rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { readonly formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** What boarding passes carry (IATA Res. 792). */
const FORMATS = ["pdf417", "aztec", "qr_code"];

/** Undefined if the browser has no detector, or one that knows only some of these symbologies. */
export async function nativeReader(): Promise<CodeReader | undefined> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  // The promise rejects if the system's service is missing: then no symbology is known.
  const supported = (await BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!BarcodeDetector || FORMATS.some((format) => !supported.includes(format))) return undefined;
  const detector = new BarcodeDetector({ formats: FORMATS });
  return {
    read: async (picture) => {
      try {
        const codes = await detector.detect(picture);
        return codes.find(({ rawValue }) => rawValue !== "")?.rawValue;
      } finally {
        picture.close();
      }
    },
    close: () => undefined,
  };
}

/** The device's camera, shown in a video element and read as pictures. */

type CameraErrorCode =
  /** The person or the system said no. */
  | "refused"
  /** The page or the organisation forbids cameras here. */
  | "blocked"
  | "missing"
  /** Another program has it. */
  | "busy";

class CameraError extends Error {
  override readonly name = "CameraError";
  readonly code: CameraErrorCode;
  constructor(code: CameraErrorCode, options?: ErrorOptions) {
    super(`no camera: ${code}`, options);
    this.code = code;
  }
}

interface Camera {
  /** The current picture. */
  picture(): Promise<ImageBitmap>;
  /** Present if the camera has a light that can be switched. */
  readonly torch?: (on: boolean) => Promise<void>;
  /** Switches the camera off, its light included. */
  close(): void;
}

/** Wide enough to read a PDF417 held at arm's length; browsers give the nearest size they have. */
const CONSTRAINTS: MediaStreamConstraints = {
  audio: false,
  video: { facingMode: { ideal: "environment" }, width: { ideal: 1_920 }, height: { ideal: 1_080 } },
};

/**
 * Asks for the camera and plays it in `video`; calls `onLost` when the camera ends by itself. Throws
 * {@link CameraError}.
 */
async function openCamera(video: HTMLVideoElement, onLost: () => void): Promise<Camera> {
  const stream = await requestStream();
  const [track] = stream.getVideoTracks();
  track?.addEventListener("ended", onLost, { once: true });
  const close = () => {
    for (const each of stream.getTracks()) each.stop();
    video.srcObject = null;
  };
  try {
    video.srcObject = stream;
    await video.play();
  } catch (cause) {
    close();
    throw new CameraError("busy", { cause });
  }
  return { picture: () => createImageBitmap(video), ...torchOf(track), close };
}

/** Whether this page may use the camera without asking. */
export async function mayUseCamera(): Promise<boolean> {
  try {
    return (await navigator.permissions.query({ name: "camera" as PermissionName })).state === "granted";
  } catch {
    // A browser that cannot answer this will ask the person.
    return false;
  }
}

async function requestStream(): Promise<MediaStream> {
  const media = navigator.mediaDevices as MediaDevices | undefined;
  if (!media) throw new CameraError("missing");
  try {
    return await media.getUserMedia(CONSTRAINTS);
  } catch (cause) {
    throw new CameraError(codeOf(cause), { cause });
  }
}

/** By the exception's name, never by its message. */
function codeOf(cause: unknown): CameraErrorCode {
  switch (cause instanceof Error ? cause.name : "") {
    case "NotAllowedError":
      return allowedByPolicy() ? "refused" : "blocked";
    case "SecurityError":
      return "blocked";
    case "NotReadableError":
    case "AbortError":
      return "busy";
    default:
      return "missing";
  }
}

function allowedByPolicy(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return featurePolicy?.allowsFeature("camera") ?? true;
}

/** Image Capture's torch: Chrome on Android; not in the DOM's types. */
function torchOf(track: MediaStreamTrack | undefined): Pick<Camera, "torch"> {
  const { torch } = (track?.getCapabilities?.() ?? {}) as { torch?: boolean };
  if (!track || !torch) return {};
  return { torch: (on) => track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] }) };
}
