import type { Theme } from "../../core/api/index.ts";

export const MANIFEST = "/manifest.webmanifest";

/** The build's web app manifest under the airline's name, which the installed page will have. */
export async function manifest(file: Response, theme: Theme | undefined): Promise<Response> {
  const name = theme?.name;
  if (name === undefined || !file.ok) return file;
  const built = (await file.json()) as object;
  return new Response(JSON.stringify({ ...built, name, short_name: name }), {
    headers: { "Content-Type": "application/manifest+json", "X-Content-Type-Options": "nosniff" },
  });
}
