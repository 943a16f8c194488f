import * as v from "valibot";
import { optional, text } from "./fields.ts";

/** A public EC P-256 key as a JWK (RFC 7517). */
export const PublicJwk = v.object({
  kty: v.literal("EC"),
  crv: v.literal("P-256"),
  x: v.string(),
  y: v.string(),
  kid: v.string(),
  alg: optional(v.literal("ES256")),
  use: optional(v.literal("sig")),
});
export type PublicJwk = v.InferOutput<typeof PublicJwk>;

/** GET /.well-known/jwks.json. */
export const JwksResponse = v.object({ keys: v.array(PublicJwk) });
export type JwksResponse = v.InferOutput<typeof JwksResponse>;

/** What an airline tells the page about itself. Colours are `#rrggbb`; the page corrects unreadable ones. */
export const Theme = v.object({
  /** Shown in place of the product's own name. */
  name: optional(v.pipe(v.string(), v.minLength(1), v.maxLength(40))),
  /** A path of this origin, or a picture as a data URL: the page loads nothing from elsewhere. */
  logo: optional(
    v.pipe(
      v.string(),
      v.maxLength(16_000),
      v.regex(/^(\/(?![/\\])[\w./-]+|data:image\/(png|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*)$/),
    ),
  ),
  accent: optional(v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/))),
  /** For dark screens; derived from `accent` where absent. */
  accentDark: optional(v.pipe(v.string(), v.regex(/^#[0-9A-Fa-f]{6}$/))),
});
export type Theme = v.InferOutput<typeof Theme>;

/** A kiosk of the airline, for passengers whose browser has no Bluetooth. `place`: as its signs call it. */
export const KioskPlace = v.object({
  airport: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  place: text(80),
});
export type KioskPlace = v.InferOutput<typeof KioskPlace>;

/** What the SDK reads of the configuration: by which keys it calls, and whom it trusts. Roots are PEM. */
export const ClientConfiguration = v.object({
  issuer: v.string(),
  clientKeys: v.object({
    passenger: optional(v.string()),
    kiosk: optional(v.string()),
  }),
  clientRoots: v.array(v.string()),
  tagRoots: v.array(v.string()),
});

/** GET /.well-known/ebt-configuration (rules §8). Without a tag root the page refuses to start. */
export const EbtConfiguration = v.object({
  ...ClientConfiguration.entries,
  environment: v.picklist(["development", "production"]),
  tokenKeys: JwksResponse,
  gatt: v.record(v.string(), v.string()),
  locales: v.array(v.string()),
  /**
   * Origins of host apps that may hand a traveller over to the page by message; absent where there are none.
   */
  handOverOrigins: optional(v.array(v.string())),
  theme: optional(Theme),
  kiosks: optional(v.array(KioskPlace)),
  /** Where people on an iPhone get a browser with Web Bluetooth. */
  iosBrowser: optional(v.pipe(v.string(), v.maxLength(300), v.regex(/^https:\/\/[^\s/]+\//))),
  limits: v.record(v.string(), v.number()),
});
export type EbtConfiguration = v.InferOutput<typeof EbtConfiguration>;

/** GET /healthz: the service answers; `late` names what its scheduled runs have not kept pace with. */
export const HealthResponse = v.object({
  status: v.picklist(["ok", "late"]),
  late: v.optional(v.array(v.picklist(["erasure", "seals"]))),
});
export type HealthResponse = v.InferOutput<typeof HealthResponse>;
