import * as v from "valibot";

/**
 * The kinds of fields that records are made of. The comment over a property of a record is its description in the
 * OpenAPI document; a property without one has that of its kind (scripts/openapi/write.ts).
 * Text is kept exactly as sent, because a device id is echoed
 * into a token byte for byte. `parse.ts` decides whether a mandatory text is blank.
 */

/** Text of at most `max` UTF-16 units. */
export const text = /* @__NO_SIDE_EFFECTS__ */ (max: number) => v.pipe(v.string(), v.maxLength(max));

/** Text of which only the first `max` UTF-16 units count; a character that would be split is left out. */
export const cutText = /* @__NO_SIDE_EFFECTS__ */ (max: number) =>
  v.pipe(
    v.string(),
    v.transform((long) => long.slice(0, max).replace(/[\uD800-\uDBFF]$/, "")),
  );

/** An optional field that refuses nothing: a value of another type counts as absent. */
export const advisory = /* @__NO_SIDE_EFFECTS__ */ <const S extends v.GenericSchema<unknown, unknown>>(
  schema: S,
) => v.exactOptional(v.fallback(v.undefinedable(schema), undefined));

/** JSON integer that fits int32 and is at least `minimum`. */
export const int32 = /* @__NO_SIDE_EFFECTS__ */ (minimum = -2_147_483_648) =>
  v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(2_147_483_647));

/** 32 bytes as unpadded base64url. */
export const digest32 = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/));

/** 8 bytes as unpadded base64url. */
export const octets8 = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{10}[AEIMQUYcgkosw048]$/));

/** Unpadded base64url (RFC 4648 §5) of at most `max` characters. */
export const base64UrlText = /* @__NO_SIDE_EFFECTS__ */ (max: number) =>
  v.pipe(v.string(), v.maxLength(max), v.regex(/^[A-Za-z0-9_-]*$/));

/** Canonical-alphabet base64 (RFC 4648 §4) of at most `max` characters. */
export const base64Text = /* @__NO_SIDE_EFFECTS__ */ (max: number) =>
  v.pipe(
    v.string(),
    v.maxLength(max),
    v.regex(/^[A-Za-z0-9+/]*={0,2}$/),
    v.metadata({ contentEncoding: "base64" }),
  );

/** Instant in ISO 8601; refuses a day that no calendar has and a time that no clock shows. */
export const instant = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
);

/** Calendar day, `YYYY-MM-DD`. */
export const day = v.pipe(v.string(), v.isoDate());

/** Ten digits (IATA Resolution 740). */
export const licencePlate = v.pipe(v.string(), v.regex(/^(?!0{10})[0-9]{10}$/));

/** The tag's id, as the tag or the label on it shows it. */
export const deviceId = text(128);

/** The tag's id, as it was named. */
export const namedDevice = v.string();

// Handed on, not assigned: bundlers know that it does nothing but make a schema, and leave unused ones out.
export { exactOptional as optional } from "valibot";
