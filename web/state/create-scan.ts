import { createSignal, onCleanup } from "solid-js";
import type { ScanOptions, ScanProblem, ScanResult } from "../scan/scanner.ts";

type ScanState = "closed" | "opening" | "looking" | "reading";

/** Why nothing was found: the scanner's own reasons, or a code of another kind. */
type ScanFailure = ScanProblem | "not_boarding_pass";

export type Scan = ReturnType<typeof createScan>;

interface CreateScanOptions {
  readonly accept: (text: string) => boolean;
  /** Where the camera's picture is shown; called when the camera is opened. */
  readonly video: () => HTMLVideoElement;
  readonly onCode: (text: string) => void;
}

const SLOW = 8_000;

interface Now {
  readonly state: ScanState;
  readonly problem?: ScanFailure | undefined;
  /** The search has had no success for a while: time for advice. */
  readonly slow?: boolean;
  /** A code was seen that is not the one sought. */
  readonly strange?: boolean;
  /** Absent where the camera has none. */
  readonly light?: ((on: boolean) => Promise<void>) | undefined;
  readonly lit?: boolean;
}

/** Reads a code by camera or from a photo. Leaving the page closes the camera. */
export function createScan(options: CreateScanOptions) {
  const { now, change, begin, end, close } = createScanning(options);
  const switchLight = (on: boolean) => {
    change({ lit: on });
    // A light that cannot be switched counts as off.
    void now()
      .light?.(on)
      .catch(() => change({ lit: false }));
  };

  const open = async () => {
    const scan = begin("opening");
    const timer = setTimeout(() => change({ slow: true }), SLOW);
    scan.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    const onOpen = (light: Now["light"]) => change({ state: "looking", light });
    const { scanWithCamera } = await import("../scan/scanner.ts");
    end(await scanWithCamera({ ...scan, video: options.video(), onOpen }), scan.signal);
    clearTimeout(timer);
  };
  let left = false;
  onCleanup(() => {
    left = true;
  });
  const openIfAllowed = async () => {
    const { mayUseCamera } = await import("../scan/scanner.ts");
    if ((await mayUseCamera()) && now().state === "closed" && !now().problem && !left) await open();
  };
  const photo = async (file: File) => {
    const scan = begin("reading");
    const { scanPhoto } = await import("../scan/scanner.ts");
    end(await scanPhoto(file, scan), scan.signal);
  };
  /** Thrown outside the scanner's results: its code would not load. */
  const run = (work: Promise<void>) => void work.catch(() => close("reader_unavailable"));

  return {
    now,
    switchLight,
    open: () => run(open()),
    /** Opens the camera if the person has allowed it before: then nothing will be asked. */
    openIfAllowed: () => run(openIfAllowed()),
    close: () => close(),
    photo: (file: File) => run(photo(file)),
  };
}

/** One attempt at a time: how far it has come, and what ends it. */
function createScanning({ accept, onCode }: CreateScanOptions) {
  const [now, setNow] = createSignal<Now>({ state: "closed" });
  const change = (what: Partial<Now>) => void setNow((before) => ({ ...before, ...what }));
  let abort = new AbortController();
  onCleanup(() => abort.abort());

  const begin = (state: ScanState): ScanOptions => {
    abort.abort();
    abort = new AbortController();
    setNow({ state });
    const accepted = (text: string) => {
      const good = accept(text);
      if (!good) change({ strange: true });
      return good;
    };
    return { signal: abort.signal, accept: accepted };
  };
  const end = (result: ScanResult | undefined, signal: AbortSignal) => {
    if (signal.aborted) return;
    setNow({ state: "closed", problem: problemOf(result, now().strange) });
    if (result?.ok) onCode(result.text);
  };
  const close = (problem?: ScanFailure) => {
    abort.abort();
    setNow({ state: "closed", problem });
  };
  return { now, change, begin, end, close };
}

function problemOf(result: ScanResult | undefined, strange = false): ScanFailure | undefined {
  if (result === undefined || result.ok) return undefined;
  return result.problem === "no_code" && strange ? "not_boarding_pass" : result.problem;
}
