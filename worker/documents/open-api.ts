import { ApiError } from "../errors.ts";
import type { Assets } from "../http/assets.ts";

/** GET /openapi.json: the document as the build made it. Throws `not_found` where there is none. */
export async function openApi(request: Request, assets: Assets | undefined): Promise<Response> {
  const file = await assets?.fetch(request);
  if (file === undefined || file.status >= 400) throw new ApiError("not_found");
  return new Response(file.body, { headers: { "Content-Type": "application/json" } });
}
