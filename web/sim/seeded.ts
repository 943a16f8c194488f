/** Numbers in [0, 1) that a seed decides: for tests and models of the radio, never for keys. xorshift32 (Marsaglia 2003). */
export function seeded(seed: number): () => number {
  // Never zero, or it would stick there.
  let state = seed >>> 0 || 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
}
