/**
 * `node scripts/build/write-cities.ts <airports.csv> <cldr-dates-full>`: writes scripts/build/cities.tsv, the city of each
 * airport. cities-licences.txt says where the two come from and under which licences.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LOCALES, type Locale } from "../../core/api/locales.ts";
import { ROOT } from "../project-files.ts";

type Row = Readonly<Record<string, string>>;

/** Where the set names a suburb, or the city at length or in its own language: what departure boards say. */
const CORRECTIONS: Readonly<Record<string, string>> = {
  ACE: "Lanzarote",
  BSL: "Basel",
  CTS: "Sapporo",
  DPS: "Denpasar",
  EZE: "Buenos Aires",
  FLR: "Florence",
  FRA: "Frankfurt",
  FUE: "Fuerteventura",
  GOA: "Genoa",
  LPA: "Gran Canaria",
  MLH: "Mulhouse",
  MMX: "Malmö",
  NAP: "Naples",
  NGO: "Nagoya",
  PTY: "Panama City",
  RHO: "Rhodes",
  TFN: "Tenerife",
  TFS: "Tenerife",
  TRN: "Turin",
  VCE: "Venice",
  YUL: "Montreal",
};

const SMALL = / (?:Am|An|And|Da|Das|De|Del|Der|Des|Di|Do|Dos|Du|El|Im|In|Of|On|The|Upon)(?= )/g;

/** Of several cities, of a suburb or of an island: the first. */
const firstOf = (city: string) => city.split(/\s*[/,(]/)[0] || city;

const [csvPath, cldrPath] = process.argv.slice(2);
if (csvPath === undefined || cldrPath === undefined) throw new Error("usage: write-cities.ts <csv> <cldr>");

const exemplars = new Map(LOCALES.map((locale) => [locale, readExemplars(locale)]));
const lines = readRows(readFileSync(csvPath, "utf8"))
  .filter(({ iata = "", city }) => /^[A-Z]{3}$/.test(iata) && city && !city.includes("?"))
  .map((row) => [row.iata, ...namesOf(row)].join("\t"))
  .toSorted();
writeFileSync(join(ROOT, "scripts/build/cities.tsv"), `${lines.join("\n")}\n`);

/** The city in English, then `fr=Londres` for each language whose name for it differs. */
function namesOf(row: Row): string[] {
  const zone = canonical(row.tz ?? "");
  const exemplar = exemplarOf("en", zone);
  const english = cityOf(row, exemplar);
  if (english !== exemplar) return [english];
  return [
    english,
    ...LOCALES.filter((locale) => locale !== "en").flatMap((locale) => {
      const name = exemplarOf(locale, zone, "");
      return name === "" || name === english ? [] : [`${locale}=${name}`];
    }),
  ];
}

/** The zone's own city where the airport is named after it, which is often in a suburb: Toronto's in Mississauga. */
function cityOf({ iata = "", name = "", city = "" }: Row, exemplar: string): string {
  const isNamed = (text: string) => ` ${fold(text)} `.includes(` ${fold(exemplar)} `);
  if (CORRECTIONS[iata] !== undefined) return CORRECTIONS[iata];
  if (fold(city) === fold(exemplar) || (isNamed(name) && !isNamed(city))) return exemplar;
  const last = city.split(", ").at(-1) ?? city;
  return fold(last) === fold(exemplar) ? exemplar : inOrdinaryCase(firstOf(city));
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

function inOrdinaryCase(city: string): string {
  const cased =
    city === city.toUpperCase()
      ? city.toLowerCase().replace(/(?<![\p{L}\p{M}’'])\p{L}/gu, (letter) => letter.toUpperCase())
      : city;
  return cased.replace(SMALL, (small) => small.toLowerCase());
}

/** By the names of CLDR, which are those of V8: `Asia/Calcutta`. */
function canonical(zone: string): string {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return "";
  }
}

/** The exemplar city of a zone; without one, English has the zone's own name (UTS 35, Dates, Time Zone Names). */
function exemplarOf(locale: Locale, zone: string, none = zone.split("/").at(-1)?.replaceAll("_", " ") ?? "") {
  return exemplars.get(locale)?.[zone] ?? none;
}

interface ZoneTree {
  readonly [name: string]: ZoneTree | { readonly exemplarCity?: string };
}

function readExemplars(locale: string): Readonly<Record<string, string>> {
  const file = join(cldrPath ?? "", "main", locale, "timeZoneNames.json");
  const { main } = JSON.parse(readFileSync(file, "utf8"));
  const flat = (tree: ZoneTree, path: readonly string[]): [string, string][] =>
    Object.entries(tree).flatMap(([name, below]) => {
      if (typeof below !== "object") return [];
      const zone = [...path, name];
      return typeof below.exemplarCity === "string"
        ? [[zone.join("/"), below.exemplarCity.replaceAll("\u00ad", "")]]
        : flat(below as ZoneTree, zone);
    });
  return Object.fromEntries(flat(main[locale].dates.timeZoneNames.zone, []));
}

/** RFC 4180, without line ends in a field. */
function readRows(csv: string): Row[] {
  const [head = [], ...rows] = csv
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) =>
        (quoted?.replaceAll('""', '"') ?? plain ?? "").trim(),
      ),
    );
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? ""])));
}
