/** Reads the QR codes on the page's own screens, by another's code. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import sharp from "sharp";
import { prepareZXingModule } from "zxing-wasm/reader";

/** Before the first code is read: its WebAssembly comes from the package. */
export function readerReady(): void {
  const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });
}

/** The pixels of a screenshot, as the reader takes them. */
export async function pixelsOf(picture: Buffer): Promise<ImageData> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    data: new Uint8ClampedArray(data),
    width: info.width,
    height: info.height,
    colorSpace: "srgb",
  } as ImageData;
}
