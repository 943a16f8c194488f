/**
 * The web worker around ZXing's reader. Its wasm is a file of ours; nothing is fetched from anywhere else.
 */
import { prepareZXingModule, type ReadInputBarcodeFormat, readBarcodes } from "zxing-wasm/reader";
import wasmUrl from "zxing-wasm/reader/zxing_reader.wasm?url";
import type { ReaderAnswer, ReaderQuestion } from "./code-reader.ts";

/**
 * Longest side, in pixels, at which a picture is read: a code fills a good part of it, and time grows with
 * the area.
 */
const LONGEST = 2_000;

/** What boarding passes carry (IATA Res. 792). */
const FORMATS: ReadInputBarcodeFormat[] = ["PDF417", "Aztec", "QRCode"];

interface ReaderScope {
  onmessage: ((event: MessageEvent<ReaderQuestion>) => void) | null;
  postMessage(answer: ReaderAnswer): void;
}

const scope = globalThis as unknown as ReaderScope;
const canvas = new OffscreenCanvas(1, 1);
const context = canvas.getContext("2d", { willReadFrequently: true });
const ready = prepareZXingModule({ overrides: { locateFile: () => wasmUrl }, fireImmediately: true });

scope.onmessage = ({ data }) => {
  void answer(data).then(
    (text) => scope.postMessage({ text }),
    () => scope.postMessage({ failed: true }),
  );
};

async function answer({ picture }: ReaderQuestion): Promise<string | undefined> {
  await ready;
  if (!picture) return undefined;
  const codes = await readBarcodes(pixels(picture), { formats: FORMATS, maxNumberOfSymbols: 1 });
  return codes.find(({ isValid }) => isValid)?.text;
}

function pixels(picture: ImageBitmap): ImageData {
  const scale = Math.min(1, LONGEST / Math.max(picture.width, picture.height));
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  if (!context) throw new Error("no canvas");
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
