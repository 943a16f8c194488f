/**
 * The SDK's client as a chunk of its own, loaded when first needed; its errors and types are in the first
 * load.
 */
export { createTaglatch } from "../../sdk/index.ts";
