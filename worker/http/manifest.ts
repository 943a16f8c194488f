import type { Theme } from "../../core/api/index.ts";

export const MANIFEST = "/manifest.webmanifest";

/** The build's web app manifest under the airline's name and icon, which the installed page will have. */
export async function manifest(file: Response, theme: Theme = {}): Promise<Response> {
  const { name, icon } = theme;
  if ((name === undefined && icon === undefined) || !file.ok) return file;
  const built = (await file.json()) as object;
  const own = {
    ...(name === undefined ? {} : { name, short_name: name }),
    ...(icon === undefined ? {} : { icons: [{ src: icon, ...iconType(icon) }] }),
  };
  return new Response(JSON.stringify({ ...built, ...own }), {
    headers: { "Content-Type": "application/manifest+json", "X-Content-Type-Options": "nosniff" },
  });
}

const iconType = (icon: string) =>
  icon.endsWith(".svg") ? { sizes: "any", type: "image/svg+xml" } : { sizes: "512x512", type: "image/png" };
