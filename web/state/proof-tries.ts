/** So long does the service count guesses at a tag, too. `proof.afterLast` and `errors.custody_proof_attempts_exceeded` name it. */
const PAUSE_MS = 15 * 60_000;

/** How many proofs were wrong at each tag: to give up and begin again gives no fresh tries. */
export type ProofTries = Map<string, { readonly wrong: number; readonly until: number }>;

/** Wrong proofs at this tag in the last quarter of an hour; `Infinity` once the tries are used up. */
export function wrongProofs(tries: ProofTries, uniqueDeviceId: string, now: number): number {
  const known = tries.get(uniqueDeviceId);
  return known && now < known.until ? known.wrong : 0;
}

export function addWrong(tries: ProofTries, uniqueDeviceId: string, proofs: number, now: number): void {
  const wrong = wrongProofs(tries, uniqueDeviceId, now);
  // Used up already: to look once more does not make it longer.
  if (wrong < Number.POSITIVE_INFINITY)
    tries.set(uniqueDeviceId, { wrong: wrong + proofs, until: now + PAUSE_MS });
}
