import { ApiError } from "../errors.ts";
import type { Assets } from "../http/assets.ts";

/**
 * The viewer writes HTML, which the page's own policy (Trusted Types) forbids, so it has a policy of its own.
 * It may load from, and call, this origin alone.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** GET /openapi.json: the document as the build made it. Throws `not_found` where there is none. */
export async function openApi(request: Request, assets: Assets | undefined): Promise<Response> {
  const file = await assets?.fetch(request);
  if (file === undefined || file.status >= 400) throw new ApiError("not_found");
  return new Response(file.body, { headers: { "Content-Type": "application/json" } });
}

/** GET /docs: the rendered reference. Throws `not_found` where the build has none. */
export async function reference(request: Request, assets: Assets | undefined): Promise<Response> {
  const file = await assets?.fetch(request);
  if (file === undefined || file.status >= 400) throw new ApiError("not_found");
  const answer = new Response(file.body, file);
  answer.headers.set("Content-Security-Policy", POLICY);
  return answer;
}
