/** Files of the page, behind a function so that the service knows nothing of where they are kept. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}

/** Folders of files and documents, none of which is a screen of the page. */
const NOT_PAGES = /^\/(?:assets|\.well-known|docs|demo)(?:\/|$)/;

const notFound = () =>
  new Response("Not found\n", { status: 404, headers: { "Content-Type": "text/plain" } });

/**
 * A path without a file is one of the page's own routes and gets the page; a missing file is a 404, because a page
 * served as a script or an image breaks in ways nobody can read.
 */
export async function serveAsset(request: Request, assets: Assets | undefined): Promise<Response> {
  if (assets === undefined || !["GET", "HEAD"].includes(request.method)) return notFound();
  const file = await assets.fetch(request);
  if (file.status !== 404) return file;
  const { pathname } = new URL(request.url);
  const namesFile = NOT_PAGES.test(pathname) || /\.[A-Za-z0-9]+$/.test(pathname);
  return namesFile ? notFound() : assets.fetch(new Request(new URL("/", request.url), request));
}
