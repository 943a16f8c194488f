import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { CodeKind, ScanOptions, ScanProblem, ScanResult } from "../scan/scanner.ts";

export type ScanState = "closed" | "opening" | "looking" | "reading";

/** Why nothing was found: the scanner's own reasons, or a code of something else. */
export type ScanFailure = ScanProblem | "not_boarding_pass";

export interface Scan {
  readonly state: Accessor<ScanState>;
  readonly problem: Accessor<ScanFailure | undefined>;
  /** Looking for a while without success: time for advice. */
  readonly slow: Accessor<boolean>;
  /** A code was seen that is not what is looked for. */
  readonly strange: Accessor<boolean>;
  /** Switches the light; undefined where there is none. */
  readonly torch: Accessor<((on: boolean) => void) | undefined>;
  readonly lit: Accessor<boolean>;
  readonly open: () => void;
  /** Opens the camera where the person has allowed it before: nothing will be asked then. */
  readonly openIfAllowed: () => void;
  readonly close: () => void;
  readonly photo: (file: File) => void;
}

export interface CreateScanOptions {
  readonly kinds: readonly CodeKind[];
  readonly accept: (text: string) => boolean;
  /** Where the camera's picture goes; asked for when it is opened. */
  readonly video: () => HTMLVideoElement;
  readonly onCode: (text: string) => void;
}

const SLOW = 8_000;

/** Text of a boarding pass at a glance (IATA Res. 792: M, legs, 60 characters at least): nothing else is sent away. */
export const looksLikeBoardingPass = (text: string) => /^M[1-4]/.test(text) && text.length >= 60;

/** Reading a code by camera or from a photo. Leaving the page closes the camera. */
export function createScan(options: CreateScanOptions): Scan {
  const [state, setState] = createSignal<ScanState>("closed");
  const [problem, setProblem] = createSignal<ScanFailure>();
  const [slow, setSlow] = createSignal(false);
  const [strange, setStrange] = createSignal(false);
  const [light, setLight] = createSignal<(on: boolean) => Promise<void>>();
  const [lit, setLit] = createSignal(false);
  let abort = new AbortController();

  const begin = (next: ScanState): ScanOptions => {
    abort.abort();
    abort = new AbortController();
    setProblem(undefined);
    setSlow(false);
    setStrange(false);
    setState(next);
    const accept = (text: string) => {
      const good = options.accept(text);
      if (!good) setStrange(true);
      return good;
    };
    return { kinds: options.kinds, signal: abort.signal, accept };
  };

  const end = (result: ScanResult | undefined, signal: AbortSignal) => {
    if (signal.aborted) return;
    setState("closed");
    setLight(undefined);
    setLit(false);
    if (result?.ok) options.onCode(result.text);
    else if (result)
      setProblem(result.problem === "no_code" && strange() ? "not_boarding_pass" : result.problem);
  };

  const open = async () => {
    const scan = begin("opening");
    const timer = setTimeout(() => setSlow(true), SLOW);
    scan.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    const onOpen = (torch: ((on: boolean) => Promise<void>) | undefined) => {
      setState("looking");
      setLight(() => torch);
    };
    const { scanWithCamera } = await import("../scan/scanner.ts");
    end(await scanWithCamera({ ...scan, video: options.video(), onOpen }), scan.signal);
    clearTimeout(timer);
  };

  const openIfAllowed = async () => {
    const { mayUseCamera } = await import("../scan/scanner.ts");
    if ((await mayUseCamera()) && state() === "closed" && !problem() && !left) await open();
  };

  const photo = async (file: File) => {
    const scan = begin("reading");
    const { scanPhoto } = await import("../scan/scanner.ts");
    end(await scanPhoto(file, scan), scan.signal);
  };

  const close = () => {
    abort.abort();
    setState("closed");
    setLight(undefined);
    setLit(false);
  };

  /** What is thrown outside the scanner's results: its code would not load. */
  const run = (work: Promise<void>) =>
    void work.catch(() => {
      close();
      setProblem("reader_unavailable");
    });

  const switchLight = (on: boolean) => {
    setLit(on);
    // A light that does not obey is dark.
    void light()?.(on).catch(() => setLit(false));
  };

  let left = false;
  onCleanup(() => {
    left = true;
    abort.abort();
  });

  return {
    state,
    problem,
    slow,
    strange,
    torch: () => (light() ? switchLight : undefined),
    lit,
    open: () => run(open()),
    openIfAllowed: () => run(openIfAllowed()),
    close,
    photo: (file) => run(photo(file)),
  };
}
