/** Numbers in [0, 1) that a seed decides: for tests and models of the radio, never for keys. xorshift32 (Marsaglia 2003). */
export function seeded(seed: number): () => number {
  // Spread first (MurmurHash3's finaliser): neighbouring seeds must not begin alike. Never zero: xorshift
  // would stay there.
  let state = spread(seed) || 0x9e3779b9;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
}

function spread(seed: number): number {
  let hash = seed ^ 0x9e3779b9;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
