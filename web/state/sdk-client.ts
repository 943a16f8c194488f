/**
 * The SDK's client as a chunk of its own, loaded when first needed, and what the page does with its outbox; its errors
 * and types are in the first load.
 */
export { createTaglatch } from "../../sdk/index.ts";
export { watchOutbox } from "./watch-outbox.ts";
