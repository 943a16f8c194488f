import { cleanup, render, screen } from "@solidjs/testing-library";
import { afterEach, expect, test } from "vitest";
import { TagDrawing, type TagFace } from "./TagDrawing.tsx";

afterEach(cleanup);

const FACE: TagFace = {
  destination: "HEL",
  city: "Helsinki",
  legs: [
    { flight: "SK1234", date: "22NOV", airport: "ARN" },
    { flight: "SK0999", date: "22NOV", airport: "HEL" },
  ],
  from: "OSL",
  name: "LOVELACE/ADA",
  plate: "0117123456",
  readable: "SK 123456",
  greenEdge: true,
  priority: false,
};

const draw = (face: TagFace | undefined) => {
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
  const legs = [{ flight: "SK1", date: "21NOV", airport: "CPH" }, ...FACE.legs];
  const shown = texts(draw({ ...FACE, legs }));
  expect(shown.indexOf("ARN")).toBeLessThan(shown.indexOf("CPH"));
  expect(shown.indexOf("HEL")).toBeLessThan(shown.indexOf("ARN"));
});

test("the barcode is drawn twice, the second one turned", () => {
  const bars = [...draw(FACE).querySelectorAll("path")];
  expect(bars).toHaveLength(2);
  expect(bars[1]?.closest("g")?.getAttribute("transform")).toContain("rotate(90)");
});

test("a plate that cannot be encoded leaves the place of the bars empty", () => {
  expect(draw({ ...FACE, plate: "117" }).querySelectorAll("path")).toHaveLength(0);
});

test("green bars mark a bag that leaves from the European Union, and only that", () => {
  expect(draw(FACE).querySelectorAll(".tag-eu")).toHaveLength(2);
  cleanup();
  expect(draw({ ...FACE, greenEdge: false }).querySelectorAll(".tag-eu")).toHaveLength(0);
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
