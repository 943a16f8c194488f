import fc from "fast-check";
import { FULL } from "./full.test-support.ts";

/**
 * Generated cases are the same in every daily run: what such a run finds, a change has brought, and not chance. In a full run
 * they are others, and VITE_SEED repeats those of a seed.
 */
const SEED = import.meta.env?.VITE_SEED;
if (SEED !== undefined || !FULL) fc.configureGlobal({ seed: Number(SEED ?? 1) });
