/** The Shape Detection API (WICG): in Chrome on Android, macOS and ChromeOS. */
import { type CodeKind, nativeFormats } from "./code-kinds.ts";
import type { CodeReader } from "./code-reader.ts";

interface Detector {
  detect(source: ImageBitmapSource): Promise<readonly { readonly rawValue: string }[]>;
}

interface DetectorClass {
  new (options: { readonly formats: readonly string[] }): Detector;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** Undefined if the browser has no detector, or one that knows only some of the symbologies. */
export async function nativeReader(kinds: readonly CodeKind[]): Promise<CodeReader | undefined> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  const formats = nativeFormats(kinds);
  // The promise rejects if the system's service is missing: then no symbology is known.
  const supported = (await BarcodeDetector?.getSupportedFormats().catch(() => [])) ?? [];
  if (!BarcodeDetector || formats.some((format) => !supported.includes(format))) return undefined;
  const detector = new BarcodeDetector({ formats });
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
