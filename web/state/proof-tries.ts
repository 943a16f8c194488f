/** The service's own window for guesses at a tag; `proof.afterLast` and `errors.custody_proof_attempts_exceeded` name it. */
const PAUSE_MS = 15 * 60_000;

/** Wrong proofs of each tag: a new job gives no new tries. */
export type ProofTries = Map<string, { readonly wrong: number; readonly until: number }>;

/** Wrong proofs at this tag in the last quarter of an hour; `Infinity` once the tries are used up. */
export function wrongProofs(tries: ProofTries, uniqueDeviceId: string, now: number): number {
  const known = tries.get(uniqueDeviceId);
  return known && now < known.until ? known.wrong : 0;
}

export function addWrong(tries: ProofTries, uniqueDeviceId: string, proofs: number, now: number): void {
  const wrong = wrongProofs(tries, uniqueDeviceId, now);
  // Used up already: another look does not extend the wait.
  if (wrong < Number.POSITIVE_INFINITY)
    tries.set(uniqueDeviceId, { wrong: wrong + proofs, until: now + PAUSE_MS });
}
