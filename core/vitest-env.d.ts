/** What Vitest gives tests; undefined in programs that Node runs without it. */
interface ImportMeta {
  readonly env?: Readonly<Record<`VITE_${string}`, string | undefined>>;
}
