import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { accentColours, contrast, GROUND, type Scheme } from "./theme.ts";

const SCHEMES = Object.keys(GROUND) as Scheme[];
const anyColour = fc.integer({ min: 0, max: 0xffffff }).map((n) => `#${n.toString(16).padStart(6, "0")}`);

/** Pairs of text and what is under it, as the style sheets use the tokens. */
function pairs(scheme: Scheme, made: ReturnType<typeof accentColours>): [string, string][] {
  const { canvas, surface, ink } = GROUND[scheme];
  return [
    [made.accent, canvas],
    [made.accent, surface],
    [made.accent, made.wash],
    [made.strong, canvas],
    [made.strong, made.wash],
    [ink, made.wash],
    [made.ink, made.fill],
    [made.ink, made.fillStrong],
  ];
}

describe.each(SCHEMES)("an airline's colour in the %s scheme", (scheme) => {
  test("can be read wherever words meet it, whatever it is", () => {
    fc.assert(
      fc.property(anyColour, (accent) => {
        for (const [text, under] of pairs(scheme, accentColours(accent, scheme)))
          expect(contrast(text, under), `${text} on ${under}`).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 3000 },
    );
  });
});

test("a colour that can be read stays as it is", () => {
  expect(accentColours("#17459e", "light")).toMatchObject({
    accent: "#17459e",
    fill: "#17459e",
    ink: "#ffffff",
  });
});

test("a bright brand keeps its buttons, with our own ink on them, and darkens as text", () => {
  const { accent, fill, ink } = accentColours("#ffcc00", "light");
  expect({ fill, ink }).toEqual({ fill: "#ffcc00", ink: "#14171c" });
  expect(accent).not.toBe("#ffcc00");
});

test("contrast is that of WCAG", () => {
  expect(contrast("#000000", "#ffffff")).toBeCloseTo(21);
  expect(contrast("#777777", "#ffffff")).toBeCloseTo(4.48, 2);
});
