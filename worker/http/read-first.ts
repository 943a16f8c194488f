import type { RequestContext } from "../context.ts";
import type { Statements } from "../database/batch.ts";
import type { Keyed } from "../database/idempotency.ts";
import type { Http } from "./route.ts";

/**
 * Routes that read with the caller's authentication, in one D1 call. What they read is of the caller that the access token
 * names, once its signature, audience, expiry and DPoP proof are verified; nothing is answered before the session is, too.
 */

/** The caller, before their session is read. */
export interface TokenCaller {
  readonly sub: string;
  readonly sessionId: string;
  readonly staff: boolean;
}

export interface ReadsFirst<Input = never> {
  /** Undefined where the session must be known first. */
  readonly reads: (
    ctx: RequestContext,
    caller: TokenCaller,
    input: Input,
    http: Pick<Http, "param"> & { readonly keyed: Keyed },
  ) => Statements | undefined | Promise<Statements | undefined>;
}

/** `route`, whose context then has the answers of `reads` as `firstRead`. */
export const readingFirst = <Input, Route extends (...all: never[]) => unknown>(
  route: Route,
  reads: ReadsFirst<Input>["reads"],
): Route & ReadsFirst<Input> => Object.assign(route, { reads });
