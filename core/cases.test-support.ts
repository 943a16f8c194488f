interface WithEnv extends ImportMeta {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Made-up inputs per property: `few` here, many by night (`VITE_CASES=20000`). */
export function cases(few: number): { readonly numRuns: number } {
  return { numRuns: Number((import.meta as WithEnv).env.VITE_CASES ?? few) };
}
