/**
 * What a boarding pass says at a glance, unchecked: enough to distinguish it from other codes and to ask the service
 * for it.
 */
export interface BcbpGlance {
  /** The name field, unchanged. */
  readonly name: string;
  /** Of the first leg. */
  readonly recordLocator: string;
}

/** The sixty columns that every pass has: the format M, one to nine legs, and the first of them (IATA Res. 792). */
const FIRST_LEG = /^M[1-9](?<name>.{20}).(?<recordLocator>.{7}).{30}/s;

/** Undefined where `text` is no boarding pass. `parseBcbp` decides whether it is a well-formed one. */
export function glanceAtBcbp(text: string): BcbpGlance | undefined {
  const { name, recordLocator } = FIRST_LEG.exec(text)?.groups ?? {};
  if (name === undefined || recordLocator === undefined) return undefined;
  return { name: name.trim(), recordLocator: recordLocator.trim() };
}
