import type { BatchItem } from "drizzle-orm/batch";
import { type Option, type Options, type ValuesOf, WordsError } from "../../kit/command-line.ts";
import type { Db } from "../../worker/database/connect.ts";
import { ENVIRONMENTS, type Environment } from "../deploy/environment-names.ts";
import type { Archive } from "./archive-stores.ts";
import type { DeploymentSecrets } from "./files.ts";
import type { Found } from "./show.ts";

/** What the values of options may be: a wrong one is refused before anything is opened (exit code 2). */

interface Kind extends Required<Pick<Option, "value" | "fault">> {}

const kind = (value: string, isRight: (text: string) => boolean, sentence: string): Kind => ({
  value,
  fault: (text) => (isRight(text) ? undefined : sentence),
});

export const oneOf = <const Choice extends string>(choices: readonly Choice[]) => ({
  ...kind(
    choices.join("|"),
    (text) => choices.some((choice) => choice === text),
    `is one of ${choices.join(", ")}`,
  ),
  choices,
});

export const wholeNumber = (value: string, first: number, last = Number.MAX_SAFE_INTEGER) => ({
  ...kind(
    value,
    (text) => /^-?\d+$/.test(text) && Number(text) >= first && Number(text) <= last,
    last === Number.MAX_SAFE_INTEGER
      ? `is a whole number from ${first}`
      : `is a whole number, ${first} to ${last}`,
  ),
  isNumber: true as const,
});

export const matching = (value: string, pattern: RegExp, sentence: string): Kind =>
  kind(value, (text) => pattern.test(text), sentence);

/** SHA-256. */
export const HASH = matching("hash", /^[\w-]{43}$/, "is 32 bytes of base64url: 43 characters");

/** At most a hundred years: later dates do not fit into a certificate. */
export const DAYS = wholeNumber("days", 1, 36_500);

export const AIRLINE = matching(
  "code",
  /^[A-Z0-9]{2}[A-Z]?$/,
  "is an airline's designator in capitals, such as SK",
);

export const INSTANT = kind(
  "instant",
  (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
  "is an instant, such as 2026-05-03T06:00:00Z",
);

export const HTTPS = kind(
  "url",
  (text) => URL.parse(text)?.protocol === "https:",
  "is a URL that begins with https:",
);

/** An origin of a service: `https://tags.example.com`. A slash at its end is ignored. */
export const SERVICE = kind(
  "origin",
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ""),
  "is the address of a service, such as https://tags.example.com",
);

/** As browsers send it in `Origin`: they compare it as text. */
export const ORIGIN: Kind = {
  value: "origin",
  fault(text) {
    // A client may list every port of a host (db/schema/clients.ts).
    const url = URL.parse(text.replace(/^(https?:\/\/[^/]+):\*$/, "$1"));
    const isWeb = url !== null && /^https?:$/.test(url.protocol);
    // Only of the web's own schemes does URL know the origin; apps have capacitor://localhost and the like.
    const origin = isWeb ? url.origin : url && `${url.protocol}//${url.host}`;
    if (url?.host && [origin, `${origin}:*`].includes(text)) return undefined;
    const hint = url?.host ? `: ${origin}` : ", such as https://tags.example.com or capacitor://localhost";
    return `is an origin, without path and slash${hint}`;
  },
};

export const FILE = { value: "file", reads: "file" } as const;
export const FOLDER = { value: "folder", reads: "folder" } as const;

/** What a command works with. */
export interface Context {
  readonly db: Db;
  /** The bucket of the audit log, where there is one. */
  readonly archive: Archive | undefined;
  /** Whether the deployment is asked, and not this machine. */
  readonly isRemote: boolean;
  /** Which environment of wrangler.toml; undefined is its top level. */
  readonly environment: Environment | undefined;
  /** Secrets of the deployment, from the file named by `--secrets`. */
  secrets(): DeploymentSecrets;
  print(line: string): void;
  /** What was found: a line for each row, or for each member of one; with `--json` that. */
  show(found: Found): void;
  /** How far it has got; never a part of the answer. */
  note(line: string): void;
}

export interface Command<Declared extends Options = Options> {
  readonly summary: string;
  readonly options?: Declared;
  /** `local`: this machine's own alone. Absent: any. */
  readonly database?: "none" | "local";
  run(values: ValuesOf<Declared>, context: Context): Promise<void>;
}

/** Types the values of `own` by its options. */
export const command = <const Declared extends Options>(own: Command<Declared>): Command =>
  own as unknown as Command;

export type Commands = Readonly<Record<string, Command>>;

/** Runs statements as one transaction; there is one at least. */
export const runBatch = (db: Db, statements: readonly BatchItem<"sqlite">[]) =>
  db.batch(statements as unknown as [BatchItem<"sqlite">, ...BatchItem<"sqlite">[]]);

/** Throws WordsError unless one of two options has a value. */
export function requireOneOf(values: Readonly<Record<string, string | undefined>>): void {
  const names = Object.keys(values).map((name) => `--${name}`);
  if (Object.values(values).filter((value) => value !== undefined).length !== 1)
    throw new WordsError(`one of ${names.join(" and ")}`);
}

/** Options every command with a database has. */
export const TARGET_OPTIONS = {
  remote: { help: "the deployment's database, through wrangler, instead of this machine's" },
  env: {
    ...oneOf(ENVIRONMENTS),
    help: "with --remote: which deployment (default: the top level of wrangler.toml)",
  },
  json: { help: "answer in JSON" },
  state: {
    value: "folder",
    help: "this machine's database (default: STATE_DIR, the running service's, or .wrangler/state)",
  },
  secrets: { ...FILE, help: "the deployment's secrets (default: .dev.vars, not with --remote)" },
} as const satisfies Record<string, Option>;
