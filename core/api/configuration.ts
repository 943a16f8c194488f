import * as v from "valibot";
import { optional, text } from "./fields.ts";

/** A public EC P-256 key as a JWK (RFC 7517). */
export const PublicJwk = v.object({
  /** Kind of key. */
  kty: v.literal("EC"),
  /** Its curve. */
  crv: v.literal("P-256"),
  /** x coordinate, base64url. */
  x: v.string(),
  /** y coordinate, base64url. */
  y: v.string(),
  /** Names the key in the header of a token. */
  kid: v.string(),
  /** The algorithm it is for. */
  alg: optional(v.literal("ES256")),
  /** What it is for. */
  use: optional(v.literal("sig")),
});
export type PublicJwk = v.InferOutput<typeof PublicJwk>;

/** GET /.well-known/jwks.json. */
export const JwksResponse = v.object({
  /** All that are valid now. */
  keys: v.array(PublicJwk),
});
export type JwksResponse = v.InferOutput<typeof JwksResponse>;

/** A path of this origin, or a picture as a data URL: the page loads nothing from elsewhere. */
const picture = v.pipe(
  v.string(),
  v.maxLength(16_000),
  v.regex(/^(\/(?![/\\])[\w./-]+|data:image\/(png|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*)$/),
);

/** The airline's brand. Colours are `#rrggbb`; the page corrects unreadable ones. */
export const Theme = v.object({
  /** Shown in place of the product's own name. */
  name: optional(v.pipe(v.string(), v.minLength(1), v.maxLength(40))),
  /** Shown in place of the product's mark, and of the name beside it. */
  logo: optional(picture),
  /** The logo for dark screens; absent where one serves both. */
  logoDark: optional(picture),
  /** Whether the name stands beside the logo, as beside a symbol; absent: the logo names the airline by itself. */
  nameBesideLogo: optional(v.literal(true)),
  /** Path of a square PNG of 512 pixels, or of an SVG: the icon of the installed page and of its tab. */
  icon: optional(v.pipe(v.string(), v.maxLength(200), v.regex(/^\/(?![/\\])[\w./-]+\.(png|svg)$/))),
  /** `#rrggbb`. */
  accent: optional(v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/))),
  /** For dark screens; derived from `accent` where absent. */
  accentDark: optional(v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/))),
});
export type Theme = v.InferOutput<typeof Theme>;

/** A kiosk of the airline, for passengers whose browser has no Bluetooth. `place`: as its signs call it. */
export const KioskPlace = v.object({
  /** IATA code. */
  airport: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  /** Where in it. */
  place: text(80),
});
export type KioskPlace = v.InferOutput<typeof KioskPlace>;

/** What the SDK reads of the configuration: by which keys it calls, and whom it trusts. Roots are PEM. */
export const ClientConfiguration = v.object({
  /** `iss` and `aud` of access tokens, and the `aud` of attestations and host tokens. */
  issuer: v.string(),
  /** Client keys of the service's own pages, which are public. */
  clientKeys: v.object({
    /** Of the passengers' page. */
    passenger: optional(v.string()),
    /** Of kiosks. */
    kiosk: optional(v.string()),
  }),
  /** PEM of the roots that client certificates lead to. */
  clientRoots: v.array(v.string()),
  /** PEM of the tag CAs that the service trusts. */
  tagRoots: v.array(v.string()),
  /** For each of them, beginnings of the device ids that it may name; absent where it may name all. */
  tagRootIds: optional(v.array(v.array(v.string()))),
  /** Whose outcomes the service counts: those of hosts that consent, or its own pages' too; absent: of none. */
  outcomes: optional(v.picklist(["hosts", "all"])),
});

const StoreLink = v.pipe(v.string(), v.maxLength(300), v.regex(/^https:\/\/[^\s/]+\//));

/** GET /.well-known/ebt-configuration (rules §8). Without a tag root the page refuses to start. */
export const EbtConfiguration = v.object({
  ...ClientConfiguration.entries,
  /** In development there are virtual tags and demo data. */
  environment: v.picklist(["development", "production"]),
  /** Keys of transaction tokens. */
  tokenKeys: JwksResponse,
  /** UUIDs of the tag service and its characteristics, by name. */
  gatt: v.record(v.string(), v.string()),
  /** Languages of the page (BCP 47). */
  locales: v.array(v.string()),
  /**
   * Origins of host apps that may hand a traveller over to the page by message; absent where there are none.
   */
  handOverOrigins: optional(v.array(v.string())),
  /** The airline's look, where it has one. */
  theme: optional(Theme),
  /** The airline's kiosks, for passengers whose browser has no Bluetooth. */
  kiosks: optional(v.array(KioskPlace)),
  /** Where people on an iPhone get a browser with Web Bluetooth. */
  iosBrowser: optional(StoreLink),
  /** Where they get the airline's app. */
  iosApp: optional(StoreLink),
  /** `applicationServerKey` for Web Push (RFC 8292), base64url; absent where the service sends none. */
  pushKey: optional(v.string()),
  /** Limits that a client keeps, by name. */
  limits: v.record(v.string(), v.number()),
});
export type EbtConfiguration = v.InferOutput<typeof EbtConfiguration>;

/** GET /healthz: the service answers; `late` names what its scheduled runs have not kept pace with. */
export const HealthResponse = v.object({
  /** Whether everything keeps pace. */
  status: v.picklist(["ok", "late"]),
  /** What does not. */
  late: v.optional(v.array(v.picklist(["erasure", "seals"]))),
});
export type HealthResponse = v.InferOutput<typeof HealthResponse>;
