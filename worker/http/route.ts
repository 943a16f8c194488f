import type { AnswerOf, EndpointName, endpoints, InputOf } from "../../core/api/index.ts";
import type { BearerContext, Caller, LoginContext, RefreshContext, RequestContext } from "../context.ts";
import type { Keyed, Replayable } from "../database/idempotency.ts";

/** A route of an endpoint: HTTP on one side, one service call on the other. */

/** What Hono carries from a request's surroundings to its route and back. */
export interface App {
  /** The platform's context of a request: it waits for work after the answer. */
  readonly Bindings: Pick<ExecutionContext, "waitUntil">;
  readonly Variables: { ctx: RequestContext; caller: Caller | undefined };
}

type Row<Name extends EndpointName> = (typeof endpoints)[Name];

/** The context of the endpoint's service, by its security. */
export type ContextOf<Name extends EndpointName> =
  Row<Name> extends { readonly security: "bearer" }
    ? BearerContext
    : Row<Name> extends { readonly security: "client" } | { readonly withoutKey: "default" }
      ? LoginContext
      : Row<Name> extends { readonly withoutKey: "allowed" }
        ? RefreshContext
        : RequestContext;

/** HTTP as a route may read and set it, besides its parsed input. */
export interface Http {
  readonly headers: Headers;
  /** A `{name}` of the endpoint's path. */
  param(name: string): string;
  /** Adds a header to the answer. */
  setHeader(name: string, value: string): void;
  /** Dotted names of the body's members that no field of the record reads. */
  ignored(): readonly string[];
}

/** What a route gets in addition if its row is `idempotent`. */
export interface Keyable {
  readonly keyed: Keyed;
}

/**
 * Answers with the endpoint's success body; if its row is `idempotent`, also whether the answer is a
 * repeated one.
 */
export type Route<Name extends EndpointName> =
  Row<Name> extends { readonly idempotent: true }
    ? (
        ctx: ContextOf<Name>,
        input: InputOf<Name>,
        http: Http & Keyable,
      ) => Promise<Replayable<AnswerOf<Name>>>
    : (ctx: ContextOf<Name>, input: InputOf<Name>, http: Http) => Promise<AnswerOf<Name>>;

export type Routes = { readonly [Name in EndpointName]: Route<Name> };

/**
 * A route whose endpoint is known only at run time; {@link Routes} has checked that the two belong together.
 */
export type AnyRoute = (ctx: unknown, input: unknown, http: Http & Partial<Keyable>) => Promise<object>;
