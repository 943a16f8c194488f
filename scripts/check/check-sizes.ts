import { bundleSizes, DESK_TEXTS, misplaced } from "../build/bundle-sizes.ts";

/** "Record locator" in every language but English: who reads one loads one. */
const FOREIGN_TEXTS = [
  "Buchungscode",
  "Référence de réservation",
  "Localizador de reserva",
  "Bookingreferanse",
  "رمز الحجز",
  "预订编号",
  "予約番号",
];

const sizes = bundleSizes();
for (const { name, bytes, limit } of sizes)
  console.log(`${name.padEnd(14)} ${(bytes / 1000).toFixed(1).padStart(6)} kB of ${limit / 1000}`);

const problems = [
  ...sizes
    .filter(({ bytes, limit }) => bytes > limit)
    .map(({ name, bytes, limit }) => `${name}: ${bytes} bytes gzip, at most ${limit}`),
  ...misplaced(DESK_TEXTS, "a developer's desk"),
  ...misplaced(FOREIGN_TEXTS, "another language"),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
