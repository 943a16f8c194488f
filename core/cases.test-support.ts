declare global {
  interface ImportMeta {
    readonly env: Readonly<Record<string, string | undefined>>;
  }
}

/**
 * Made-up inputs per property: `few` here, many nightly (`VITE_CASES=3000`). Written out as it is, because Vitest knows
 * `import.meta.env` by its text: in any other form it comes from a cache, with the values of an earlier run.
 */
export function cases(few: number): { readonly numRuns: number } {
  return { numRuns: Number(import.meta.env.VITE_CASES ?? few) };
}
