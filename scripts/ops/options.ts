import type { Option } from "../../kit/command-line.ts";

/** What the values of options may be: a wrong one is refused before anything is opened (exit code 2). */

type Kind = Required<Pick<Option, "value" | "fault">>;

const kind = (value: string, isRight: (text: string) => boolean, sentence: string): Kind => ({
  value,
  fault: (text) => (isRight(text) ? undefined : sentence),
});

export const oneOf = (choices: readonly string[]): Kind =>
  kind(choices.join("|"), (text) => choices.includes(text), `is one of ${choices.join(", ")}`);

export const wholeNumber = (value: string, first: number, last = Number.MAX_SAFE_INTEGER): Kind =>
  kind(
    value,
    (text) => /^-?\d+$/.test(text) && Number(text) >= first && Number(text) <= last,
    last === Number.MAX_SAFE_INTEGER
      ? `is a whole number from ${first}`
      : `is a whole number, ${first} to ${last}`,
  );

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

/** A file that the command reads. */
export const FILE = { value: "file", reads: "file" } as const;
/** A folder that the command reads. */
export const FOLDER = { value: "folder", reads: "folder" } as const;
