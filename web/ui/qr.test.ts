import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import bwip from "bwip-js/node";
import { expect, it } from "vitest";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { correctionOf, type QrCode, qrCode } from "./qr.ts";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

/** Each version at its fullest, and a single letter. */
const LENGTHS = [1, 14, 26, 42, 62, 84, 106, 122, 152, 180, 213];
const textOf = (length: number) => "é/journeys/~q".repeat(9).slice(0, length);
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

function pictureOf(code: QrCode) {
  const [scale, quiet] = [4, 4];
  const size = (code.length + 2 * quiet) * scale;
  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) {
      const dark = code[Math.floor(y / scale) - quiet]?.[Math.floor(x / scale) - quiet] === true;
      if (dark) data.fill(0, (y * size + x) * 4, (y * size + x) * 4 + 3);
    }
  return { data, width: size, height: size, colorSpace: "srgb" as const };
}

it("computes the correction codewords of the standard's example (ISO 18004, annex I)", () => {
  const data = [
    0x10, 0x20, 0x0c, 0x56, 0x61, 0x80, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11, 0xec, 0x11,
  ];
  const correction = [0xa5, 0x24, 0xd4, 0xc1, 0xed, 0x36, 0xc7, 0x87, 0x2c, 0x55];
  expect(correctionOf(data, 10)).toEqual(correction);
});

it.each(LENGTHS)(
  "is read by an independent reader, and drawn so by an independent writer: %i bytes",
  async (length) => {
    let text = textOf(length);
    while (bytesOf(text) > length) text = text.slice(0, -1);
    text = text.padEnd(text.length + length - bytesOf(text), "x");
    const code = qrCode(text) as QrCode;
    const [read] = await readBarcodes(pictureOf(code) as ImageData, { formats: ["QRCode"] });
    expect(read?.text).toBe(text);

    // Its mask 1 is the standard's 000.
    const options = { bcid: "qrcode", text, eclevel: "M", fixedeclevel: true, mask: 1 };
    const [drawn] = bwip.raw(options) as readonly { readonly pixs: readonly number[] }[];
    expect(code.flat().map(Number)).toEqual(drawn?.pixs);
  },
);

it("refuses what does not fit", () => {
  expect(qrCode("x".repeat(213))).toBeDefined();
  expect(qrCode("x".repeat(214))).toBeUndefined();
});
