/** The device's camera, shown in a video element and read as pictures. */

export type CameraErrorCode =
  /** The person or the system said no. */
  | "refused"
  /** The page or the organisation forbids cameras here. */
  | "blocked"
  | "missing"
  /** Another program has it. */
  | "busy";

export class CameraError extends Error {
  override readonly name = "CameraError";
  readonly code: CameraErrorCode;
  constructor(code: CameraErrorCode, options?: ErrorOptions) {
    super(`no camera: ${code}`, options);
    this.code = code;
  }
}

export interface Camera {
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
export async function openCamera(video: HTMLVideoElement, onLost: () => void): Promise<Camera> {
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
