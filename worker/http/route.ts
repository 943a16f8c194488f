import type { BatchItem } from "drizzle-orm/batch";
import type { AnswerOf, EndpointName, endpoints, InputOf } from "../../core/api/index.ts";
import type { Bytes } from "../../core/encoding/bytes.ts";
import type { BearerContext, LoginContext, RefreshContext, RequestContext } from "../context.ts";

/** What a route of an endpoint is: HTTP on one side, one service call on the other. */

type Row<Name extends EndpointName> = (typeof endpoints)[Name];

/** The context the endpoint's security gives its service. */
export type ContextOf<Name extends EndpointName> =
  Row<Name> extends { readonly security: "bearer" }
    ? BearerContext
    : Row<Name> extends { readonly security: "client" } | { readonly withoutKey: "default" }
      ? LoginContext
      : Row<Name> extends { readonly withoutKey: "allowed" }
        ? RefreshContext
        : RequestContext;

/** What a route may see and say of HTTP beyond its parsed input. */
export interface Http {
  readonly headers: Headers;
  /** A `{name}` of the endpoint's path. */
  param(name: string): string;
  /** The body as received, for Idempotency-Key. */
  readonly body: Bytes;
  /** Adds a header to the answer. */
  setHeader(name: string, value: string): void;
}

/** Answers with the endpoint's success body, or with a Response where bytes must be exact. */
export type Route<Name extends EndpointName> = (
  ctx: ContextOf<Name>,
  input: InputOf<Name>,
  http: Http,
) => Promise<AnswerOf<Name> | Response>;

/**
 * A route that reads everything in the round trip of the authentication. `reads` is built from the token's `sub` before
 * the session is known to live; its rows reach `answer` only if it does.
 */
export interface OneTripRoute<Name extends EndpointName> {
  reads(ctx: RequestContext, sub: string, input: InputOf<Name>, http: Http): readonly BatchItem<"sqlite">[];
  answer(
    ctx: BearerContext,
    input: InputOf<Name>,
    rows: readonly unknown[],
    http: Http,
  ): AnswerOf<Name> | Promise<AnswerOf<Name>>;
}

/** One route per endpoint. */
export type Routes = { readonly [Name in EndpointName]: Route<Name> | OneTripRoute<Name> };
