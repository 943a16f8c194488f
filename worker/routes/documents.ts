import type { RequestContext } from "../context.ts";
import { configuration } from "../documents/configuration.ts";
import { demoTags } from "../documents/demo-tags.ts";
import { health } from "../documents/health.ts";
import { openApi } from "../documents/openapi.ts";
import { json } from "../http.ts";

/** What the service says about itself, by GET. */
export const documents: Readonly<Record<string, (ctx: RequestContext) => Response | Promise<Response>>> = {
  "/.well-known/jwks.json": ({ settings }) => json({ keys: settings.accessTokenKeys.published }),
  "/.well-known/ebt-configuration": ({ settings }) => json(configuration(settings)),
  "/healthz": health,
  "/openapi.json": () => json(openApi()),
  "/demo/tags.json": ({ settings }) => json(demoTags(settings)),
};
