import { errors } from "jose";
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";
import { verifyDemo } from "./demo.ts";
import { attestationRefused, type Statement } from "./statement.ts";

/** The evidence formats, one row each. */

/** Throws `invalid_attestation`, or an error of jose, where the evidence does not hold. */
type Verifier = (ctx: RequestContext, statement: Statement) => Promise<void>;

/** The signature over the statement is all there is: possession of a key. */
const possession: Verifier = async () => undefined;

const notSupported: Verifier = async (_, { evidence }) => {
  throw attestationRefused(`${evidence.fmt} is not supported yet`);
};

const FORMATS = {
  none: possession,
  demo: verifyDemo,
  webauthn: notSupported,
  "apple-appattest": notSupported,
  "play-integrity": notSupported,
} as const satisfies Readonly<Record<string, Verifier>>;

export type EvidenceFormat = keyof typeof FORMATS;

const isFormat = (fmt: string): fmt is EvidenceFormat => Object.hasOwn(FORMATS, fmt);

/** The format of the statement's evidence, once it has been verified. Throws `invalid_attestation`. */
export async function verifyEvidence(ctx: RequestContext, statement: Statement): Promise<EvidenceFormat> {
  const { fmt } = statement.evidence;
  if (!isFormat(fmt)) throw attestationRefused("unknown evidence format");
  try {
    await FORMATS[fmt](ctx, statement);
    return fmt;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw attestationRefused(cause instanceof errors.JOSEError ? `${fmt}: ${cause.code}` : fmt, cause);
  }
}
