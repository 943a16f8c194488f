import type { RequestContext } from "../context.ts";
import { appleAppSiteAssociation, assetLinks } from "./app-links.ts";
import { configuration } from "./configuration.ts";
import { demoTags } from "./demo-tags.ts";
import { health } from "./health.ts";

/** Documents in which the service describes itself, by GET. */
export const documents: Readonly<Record<string, (ctx: RequestContext) => object | Promise<object>>> = {
  "/.well-known/jwks.json": ({ settings }) => ({ keys: settings.accessTokenKeys.published }),
  "/.well-known/ebt-configuration": ({ settings }) => configuration(settings),
  "/.well-known/apple-app-site-association": appleAppSiteAssociation,
  "/.well-known/assetlinks.json": assetLinks,
  "/healthz": health,
  "/demo/tags.json": ({ settings }) => demoTags(settings),
};
