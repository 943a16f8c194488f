/** Made-up inputs per property: `few` here, many by night (`VITE_CASES=20000`). */
export function cases(few: number): { readonly numRuns: number } {
  const { env } = import.meta as ImportMeta & { readonly env: Readonly<Record<string, string | undefined>> };
  return { numRuns: Number(env.VITE_CASES ?? few) };
}
