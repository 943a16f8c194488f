import { ITF } from "jsbarcode/bin/barcodes/ITF/index.js";

export interface Barcode {
  /** Width of the whole symbol in modules, without quiet zones. */
  readonly modules: number;
  /** Bars as [start, width] in modules. */
  readonly bars: readonly (readonly [start: number, width: number])[];
}

/**
 * Interleaved 2 of 5, wide to narrow 3:1 (IATA Res. 740; formats d.1). `digits`: an even number of digits.
 * Undefined if the text cannot be encoded, so that a drawing shows no bars rather than wrong ones.
 */
export function interleaved2of5(digits: string): Barcode | undefined {
  const symbol = new ITF(digits, {});
  if (!symbol.valid()) return undefined;
  const { data } = symbol.encode();
  const bars = [...data.matchAll(/1+/g)].map((run) => [run.index, run[0].length] as const);
  return { modules: data.length, bars };
}
