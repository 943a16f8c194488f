import type { Desk } from "./desk.ts";

/** Runs `make` once in a run, for the first check that asks; the others get the same value. */
export function once<Value>(make: (desk: Desk) => Promise<Value>): (desk: Desk) => Promise<Value> {
  const known = new WeakMap<Desk, { readonly value: Value }>();
  return async (desk) => {
    const { value } = known.get(desk) ?? { value: await make(desk) };
    known.set(desk, { value });
    return value;
  };
}
