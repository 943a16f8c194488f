import type { Theme } from "../../core/api/index.ts";
import { chooseLocale } from "../../core/api/locales.ts";
import { isServicePath, type PageRoute, pageRouteOf } from "../../core/api/page-routes.ts";
import { ApiError } from "../errors.ts";
import { branded } from "./branded.ts";
import { MANIFEST, manifest } from "./manifest.ts";

/** Files of the page, behind a function so that the service does not depend on their store. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

/**
 * Screens with documents of their own, one in each language: the page with links that preload their files and words
 * (web/build/screen-documents.ts).
 */
const DOCUMENTS: { readonly [Route in PageRoute]?: string } = {
  "/": "start",
  "/journeys/:journeyId": "journey",
  "/journeys/:journeyId/bags/:baggageId": "transfer",
  "/clear": "clear",
  "/t/:deviceId?": "tag",
  "/kiosk": "kiosk",
  "/kiosk/setup": "kiosk",
};

/**
 * The page for a route, with the words of the browser's language; if that has no document of its own, as in development,
 * the one for every address. A language that the person has chosen on the device only loads a moment later.
 */
async function page(request: Request, assets: Assets, route?: PageRoute): Promise<Response> {
  const { method, url, headers } = request;
  // Without the request's conditions: an answer that the browser has may be of another document.
  const document = (path: string) => assets.fetch(new Request(new URL(path, url), { method }));
  const name = route && DOCUMENTS[route];
  if (name === undefined) return document("/");
  const locale = chooseLocale((headers.get("Accept-Language") ?? "").split(","));
  const found = await document(`/screens/${locale}/${name}`);
  const chosen = found.status === 404 ? await document("/") : found;
  const answer = new Response(chosen.body, chosen);
  answer.headers.append("Vary", "Accept-Language");
  return answer;
}

/**
 * The one screen that stays connected to the window that opened it: the others cut it off
 * (Cross-Origin-Opener-Policy).
 */
function openedByAnother(screen: Response): Response {
  const answer = new Response(screen.body, screen);
  answer.headers.set("Cross-Origin-Opener-Policy", "unsafe-none");
  return answer;
}

/**
 * A file of the build, or the page at one of its routes. Any other path is unknown: a browser that navigates there gets the
 * page with status 404, which shows its not-found screen; any other caller gets an ErrorResponse, because a page in the
 * place of a script hides the error. Throws `not_found`.
 */
export async function serveAsset(
  request: Request,
  assets: Assets | undefined,
  theme?: Theme,
): Promise<Response> {
  if (assets === undefined || !["GET", "HEAD"].includes(request.method)) throw new ApiError("not_found");
  const { pathname } = new URL(request.url);
  const route = pageRouteOf(pathname);
  if (route === "/handover") return openedByAnother(branded(await page(request, assets, route), theme));
  if (route !== undefined) return branded(await page(request, assets, route), theme);
  if (!isServicePath(pathname)) {
    const file = await assets.fetch(request);
    if (pathname === MANIFEST) return manifest(file, theme);
    if (file.status !== 404) return file;
  }
  if (request.headers.get("Accept")?.includes("text/html") !== true) throw new ApiError("not_found");
  const { body, headers } = branded(await page(request, assets), theme);
  return new Response(body, { status: 404, headers });
}
