/** The airline's own apps, as the phones' systems look them up before an app opens a tag's link, `/t/…`. */
import type { RequestContext } from "../context.ts";
import { ApiError } from "../errors.ts";

/**
 * GET /.well-known/apple-app-site-association (Apple, Supporting associated domains): no other link of the page opens an app,
 * because some carry a token. Throws `not_found` where no app is configured.
 */
export function appleAppSiteAssociation({ settings: { appleApps } }: RequestContext): object {
  if (appleApps.length === 0) throw new ApiError("not_found");
  const isClip = (id: string) => id.endsWith(".Clip");
  return {
    applinks: {
      details: [{ appIDs: appleApps.filter((id) => !isClip(id)), components: [{ "/": "/t/*" }] }],
    },
    appclips: { apps: appleApps.filter(isClip) },
  };
}

/**
 * GET /.well-known/assetlinks.json (Google, Digital Asset Links); the app's manifest names the paths. Throws `not_found`
 * where no app is configured.
 */
export function assetLinks({ settings: { androidApps } }: RequestContext): object {
  if (androidApps.length === 0) throw new ApiError("not_found");
  return androidApps.map(([package_name, ...sha256_cert_fingerprints]) => ({
    relation: ["delegate_permission/common.handle_all_urls"],
    target: { namespace: "android_app", package_name, sha256_cert_fingerprints },
  }));
}
