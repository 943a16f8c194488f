import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cleanup, render, screen } from "@solidjs/testing-library";
import { afterEach, expect, it, test } from "vitest";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { LABEL_FLAG, type LabelPayload } from "../../core/bag/payload.ts";
import { QrImage } from "./QrImage.tsx";
import { interleaved2of5, TagDrawing } from "./TagDrawing.tsx";
import { type AirlineBrand, AirlineBrandProvider, Wordmark } from "./Wordmark.tsx";

afterEach(cleanup);

const FACE: LabelPayload = {
  kind: "write",
  destinationCity: "Helsinki",
  segments: [
    { flight: "SK1234", day: "22NOV", airport: "ARN" },
    { flight: "SK0999", day: "22NOV", airport: "HEL" },
  ],
  from: "OSL",
  name: "LOVELACE/ADA",
  licencePlate: "0117123456",
  readable: "SK 123456",
  flags: LABEL_FLAG.EU_GREEN_EDGE,
};

const draw = (face: LabelPayload | undefined) => {
  render(() => <TagDrawing face={face} label="the tag" />);
  return screen.getByRole("img", { name: "the tag" });
};
const texts = (drawing: Element) =>
  [...drawing.querySelectorAll("text")].map((text) => text.textContent).filter(Boolean);

test("shows destination, final flight, transfer, name and both forms of the plate", () => {
  expect(texts(draw(FACE))).toEqual([
    "LOVELACE/ADA",
    "FROM OSL",
    "HEL",
    "SK0999",
    "22NOV",
    "HELSINKI",
    "ARN",
    "SK1234",
    "22NOV",
    "0117123456",
    "SK 123456",
  ]);
});

test("transfers are drawn in reverse travel order, the final destination above them", () => {
  const segments = [{ flight: "SK1", day: "21NOV", airport: "CPH" }, ...(FACE.segments ?? [])];
  const shown = texts(draw({ ...FACE, segments }));
  expect(shown.indexOf("ARN")).toBeLessThan(shown.indexOf("CPH"));
  expect(shown.indexOf("HEL")).toBeLessThan(shown.indexOf("ARN"));
});

test("the barcode is drawn twice, the second one turned", () => {
  const bars = [...draw(FACE).querySelectorAll("path")];
  expect(bars).toHaveLength(2);
  expect(bars[1]?.closest("g")?.getAttribute("transform")).toContain("rotate(90)");
});

test("a plate that cannot be encoded leaves the place of the bars empty", () => {
  expect(draw({ ...FACE, licencePlate: "117" }).querySelectorAll("path")).toHaveLength(0);
});

test("green bars mark a bag that leaves from the European Union, and only that", () => {
  expect(draw(FACE).querySelectorAll(".tag-eu")).toHaveLength(2);
  cleanup();
  expect(draw({ ...FACE, flags: LABEL_FLAG.PRIORITY }).querySelectorAll(".tag-eu")).toHaveLength(0);
});

test("a name too long for its line is squeezed, not cut", () => {
  const long = "WOLFESCHLEGELSTEINHA";
  const line = [...draw({ ...FACE, name: long }).querySelectorAll("text")].find(
    (text) => text.textContent === long,
  );
  expect(line?.getAttribute("textLength")).toBe("290");
});

test("a blank tag shows nothing", () => {
  expect(texts(draw(undefined))).toEqual([]);
});

test.each(["", "123", "01171234A6"])("%j has no symbol, rather than a wrong one", (text) => {
  expect(interleaved2of5(text)).toBeUndefined();
});

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

/** The bars as pixels, four for each module, with a quiet zone around them. */
function pixelsOfBars(digits: string): ImageData {
  const { modules = 0, bars = [] } = interleaved2of5(digits) ?? {};
  const [width, height] = [4 * (modules + 40), 120];
  const row = new Uint8ClampedArray(width * 4).fill(255);
  for (const [at, wide] of bars)
    for (let x = 4 * (at + 20); x < 4 * (at + 20 + wide); x++) row.fill(0, 4 * x, 4 * x + 3);
  const data = new Uint8ClampedArray(row.length * height);
  for (let y = 0; y < height; y++) data.set(row, y * row.length);
  return { data, width, height, colorSpace: "srgb" } as ImageData;
}

it.each(["0117123456", "0220654321", "9876543210"])(
  "an independent reader reads the symbol of %s",
  async (digits) => {
    const [read] = await readBarcodes(pixelsOfBars(digits), { formats: ["ITF"] });
    expect(read?.text).toBe(digits);
  },
);

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

const drawBrand = (brand: AirlineBrand) =>
  render(() => (
    <AirlineBrandProvider value={() => brand}>
      <Wordmark />
    </AirlineBrandProvider>
  ));
const BRAND = { name: "Polar Air", logo: "/branding/logo.svg" };

test("without a logo, the airline's name stands beside the product's mark", () => {
  drawBrand({ name: "Polar Air" });
  expect(screen.getByText("Polar Air")).toBeTruthy();
  expect(document.querySelector("img")).toBeNull();
});

test("a logo names the airline by itself", () => {
  drawBrand(BRAND);
  expect(screen.getByRole("img", { name: "Polar Air" }).getAttribute("src")).toBe(BRAND.logo);
  expect(screen.queryByText("Polar Air")).toBeNull();
});

test("a symbol has the name beside it, which is read once", () => {
  drawBrand({ ...BRAND, nameBesideLogo: true });
  expect(screen.getByText("Polar Air")).toBeTruthy();
  expect(screen.queryByRole("img")).toBeNull();
});

test("dark screens have a logo of their own, where there is one", () => {
  const source = () => document.querySelector("source[media*=dark]")?.getAttribute("srcset");
  drawBrand(BRAND);
  expect(source()).toBeNull();
  cleanup();
  drawBrand({ ...BRAND, logoDark: "/branding/logo-dark.svg" });
  expect(source()).toBe("/branding/logo-dark.svg");
});
