import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { render } from "@solidjs/testing-library";
import { expect, it } from "vitest";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { QrImage } from "./QrImage.tsx";

const wasm = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } });

/** The drawing as pixels, `scale` for each module. */
function pixelsOf(svg: Element, scale = 4): ImageData {
  const [left = 0, top = 0, size = 0] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
  const width = size * scale;
  const data = new Uint8ClampedArray(width * width * 4).fill(255);
  const path = svg.querySelector("path")?.getAttribute("d") ?? "";
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g))
    for (let row = 0; row < scale; row++) {
      const at = (((Number(y) - top) * scale + row) * width + (Number(x) - left) * scale) * 4;
      for (let pixel = at; pixel < at + scale * 4; pixel += 4) data.fill(0, pixel, pixel + 3);
    }
  return { data, width, height: width, colorSpace: "srgb" } as ImageData;
}

it.each([1, 60, 213, 500])("an independent reader reads a link of %i characters", async (length) => {
  const text = `https://tags.example/${"é/j~q".repeat(100)}`.slice(0, length);
  const { container } = render(() => <QrImage text={text} label="link" />);
  const [read] = await readBarcodes(pixelsOf(container.querySelector("svg") as Element), {
    formats: ["QRCode"],
  });
  expect(read?.text).toBe(text);
});

it("draws nothing for a text that fits no code", () => {
  const { container } = render(() => <QrImage text={"x".repeat(4_000)} label="link" />);
  expect(container.querySelector("svg")).toBeNull();
});
