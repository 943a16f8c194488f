/**
 * Makes an airline's colours readable: text and its background differ by at least 4.5 : 1 (WCAG 2.2, 1.4.3)
 * in both schemes, whatever colour was configured. Pure; the caller applies them.
 */

/** Red, green, blue, each 0–255. */
type Colour = readonly [number, number, number];

/** The background of each scheme; the same as in tokens.css, where a test compares them. */
export const GROUND = {
  light: { canvas: "#f5f4f0", surface: "#ffffff", ink: "#14171c" },
  dark: { canvas: "#111317", surface: "#1a1d23", ink: "#eff1f4" },
} as const;
export type Scheme = keyof typeof GROUND;

/** The accent tokens of one scheme, as `#rrggbb`. */
interface AccentColours {
  /** Text, icons and lines on canvas, surface and wash. */
  readonly accent: string;
  readonly strong: string;
  readonly wash: string;
  /** Behind the words of a primary button: the airline's own colour if words on it are readable. */
  readonly fill: string;
  readonly fillStrong: string;
  /** The words on both fills. */
  readonly ink: string;
}

const READABLE = 4.5;
const WHITE: Colour = [255, 255, 255];
const BLACK: Colour = [0, 0, 0];
const STEP = 0.04;

export function accentColours(accent: string, scheme: Scheme): AccentColours {
  const ground = GROUND[scheme];
  const [canvas, surface] = [colour(ground.canvas), colour(ground.surface)];
  const away = scheme === "light" ? BLACK : WHITE;
  const own = colour(accent);
  const wash = mix(surface, own, scheme === "light" ? 0.1 : 0.2);
  const text = until(own, away, (each) => [canvas, surface, wash].every((under) => reads(each, under)));
  const fill = until(
    own,
    away,
    (each) => inkOn(each) !== undefined && inkOn(mix(each, away, 0.18)) !== undefined,
  );
  const fillStrong = mix(fill, away, 0.18);
  const ink = [WHITE, colour(GROUND.light.ink)].find((each) => reads(each, fill) && reads(each, fillStrong));
  return {
    accent: hex(text),
    strong: hex(mix(text, away, 0.25)),
    wash: hex(wash),
    // If no ink is readable on both shades, the second shade is changed.
    ...(ink === undefined
      ? { fill: hex(fill), fillStrong: hex(fill), ink: hex(inkOn(fill) ?? BLACK) }
      : { fill: hex(fill), fillStrong: hex(fillStrong), ink: hex(ink) }),
  };
}

/** Contrast of two colours by WCAG 2.2, 1 to 21. */
export function contrast(one: string, other: string): number {
  return contrastOf(colour(one), colour(other));
}

function contrastOf(one: Colour, other: Colour): number {
  const [lighter, darker] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

const reads = (text: Colour, under: Colour) => contrastOf(text, under) >= READABLE;

/** White, else our own ink: the one that is readable. */
const inkOn = (under: Colour) => [WHITE, colour(GROUND.light.ink)].find((ink) => reads(ink, under));

/** The first step from `from` towards `to` that fits; at the latest `to` itself. */
function until(from: Colour, to: Colour, suits: (colour: Colour) => boolean): Colour {
  for (let share = 0; share < 1; share += STEP) {
    const step = mix(from, to, share);
    if (suits(step)) return step;
  }
  return to;
}

function mix(from: Colour, to: Colour, share: number): Colour {
  const part = (i: 0 | 1 | 2) => Math.round(from[i] + (to[i] - from[i]) * share);
  return [part(0), part(1), part(2)];
}

function luminance(of: Colour): number {
  const [red, green, blue] = of.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function colour(text: string): Colour {
  const at = (i: number) => Number.parseInt(text.slice(i, i + 2), 16);
  return [at(1), at(3), at(5)];
}

const hex = (of: Colour) => `#${of.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
