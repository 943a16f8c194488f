import type { Theme } from "../../core/api/index.ts";
import { isServicePath } from "../../core/api/paths.ts";
import { MANIFEST, manifest } from "./manifest.ts";

/** Files of the page, behind a function so that the service need not know where they are kept. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

/** The folder of the build; no screen has a path in it. */
const FILES = /^\/assets(?:\/|$)/;

const notFound = () =>
  new Response("Not found\n", { status: 404, headers: { "Content-Type": "text/plain; charset=utf-8" } });

/** Where a host airline's page opens ours and hands its traveller over by message. */
const HAND_OVER = "/handover";

/** Opened from a tag: its id may look like a file's name. */
const TAG = /^\/t(?:\/[^/]*)?$/;

/**
 * Screens with a document of their own: the page with links that preload their files
 * (web/build/screen-documents.ts).
 */
const SCREENS: readonly (readonly [RegExp, string])[] = [
  [/^\/journeys\/[^/]+\/?$/, "journey"],
  [/^\/journeys\/[^/]+\/bags\/[^/]+\/?$/, "transfer"],
  [/^\/clear\/?$/, "clear"],
  [TAG, "tag"],
  [/^\/kiosk(?:\/|$)/, "kiosk"],
];

/**
 * The page for an address; if it has no document of its own, as in development, the one for every address.
 */
async function page(request: Request, assets: Assets): Promise<Response> {
  const { pathname } = new URL(request.url);
  const document = (path: string) => assets.fetch(new Request(new URL(path, request.url), request));
  const [, name] = SCREENS.find(([screen]) => screen.test(pathname)) ?? [];
  if (name === undefined) return document("/");
  const found = await document(`/screens/${name}`);
  return found.status === 404 ? document("/") : found;
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
 * A path without a file is one of the page's own routes and gets the page. A missing file is a 404: if a
 * browser gets a page as a script or an image, nobody can make sense of the error.
 */
export async function serveAsset(
  request: Request,
  assets: Assets | undefined,
  theme?: Theme,
): Promise<Response> {
  if (assets === undefined || !["GET", "HEAD"].includes(request.method)) return notFound();
  const { pathname } = new URL(request.url);
  const file = await assets.fetch(request);
  if (pathname === MANIFEST) return manifest(file, theme);
  if (file.status !== 404) return file;
  if (pathname === HAND_OVER) return openedByAnother(await page(request, assets));
  if (TAG.test(pathname)) return page(request, assets);
  const namesFile = FILES.test(pathname) || isServicePath(pathname) || /\.[A-Za-z0-9]+$/.test(pathname);
  return namesFile ? notFound() : page(request, assets);
}
