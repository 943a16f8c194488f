import fc from "fast-check";

/**
 * Made-up cases are the same in every daily run: what a run finds, a change has brought, and not chance. Nightly they are
 * others (`npm run nightly` says VITE_NIGHT), and VITE_SEED repeats those of a seed. Written out as they are, because Vitest
 * knows variables by their whole name.
 */
const NIGHT = import.meta.env.VITE_NIGHT;
const SEED = import.meta.env.VITE_SEED;
if (SEED !== undefined || NIGHT === undefined) fc.configureGlobal({ seed: Number(SEED ?? 1) });
