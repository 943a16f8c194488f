import type { RequestContext } from "../context.ts";
import { json } from "../http/http.ts";
import { configuration } from "./configuration.ts";
import { demoTags } from "./demo-tags.ts";
import { health } from "./health.ts";
import { openApi } from "./openapi.ts";

/** What the service says about itself, by GET. */
export const documents: Readonly<Record<string, (ctx: RequestContext) => Response | Promise<Response>>> = {
  "/.well-known/jwks.json": ({ settings }) => json({ keys: settings.accessTokenKeys.published }),
  "/.well-known/ebt-configuration": ({ settings }) => json(configuration(settings)),
  "/healthz": health,
  "/openapi.json": () => json(openApi()),
  "/demo/tags.json": ({ settings }) => json(demoTags(settings)),
};
