import tags from "../../db/demo/tags.json" with { type: "json" };
import type { Settings } from "../config/env.ts";
import { ApiError } from "../errors.ts";

/** The virtual tags of the development data with their private keys. Throws `not_found` outside development. */
export function demoTags({ environment }: Settings): object {
  if (environment !== "development") throw new ApiError("not_found");
  return tags;
}
