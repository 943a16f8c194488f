/** Any endpoint of the service, typed by what openapi-typescript makes of its OpenAPI document. */
import type { paths } from "./api.d.ts";

type Path = { [P in keyof paths]: paths[P]["post"] extends object ? P : never }[keyof paths];
type Json<Content> = Content extends { content: { "application/json": infer Body } } ? Body : never;
type BodyOf<P extends Path> = Json<NonNullable<NonNullable<paths[P]["post"]>["requestBody"]>>;
type AnswerOf<P extends Path> =
  NonNullable<paths[P]["post"]> extends { responses: { 200: infer Success } } ? Json<Success> : never;

/** A refusal: `code` is for programs, `message` for people. */
export class Refused extends Error {
  readonly code: string;
  constructor({ errorCode, message }: { readonly errorCode: string; readonly message: string }) {
    super(`${errorCode}: ${message}`);
    this.code = errorCode;
  }
}

export interface Client {
  post<P extends Path>(path: P, body?: BodyOf<P>, parameters?: Record<string, string>): Promise<AnswerOf<P>>;
  /** The same with the access token of a login. */
  as(accessToken: string): Client;
}

export function createClient(service: string, headers: Record<string, string>): Client {
  return {
    post: async (path, body = {} as never, parameters = {}) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(parameters[name] ?? ""),
      );
      const answer = await fetch(service + filled, {
        method: "POST",
        headers: { ...headers, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      const json = await answer.json();
      if (!answer.ok) throw new Refused(json);
      return json;
    },
    as: (accessToken) => createClient(service, { ...headers, Authorization: `Bearer ${accessToken}` }),
  };
}
