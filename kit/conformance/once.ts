import type { Desk } from "./desk.ts";

/** `make` for the first check of a run that asks; the others get what it gave. A run pays for it once. */
export function once<Value>(make: (desk: Desk) => Promise<Value>): (desk: Desk) => Promise<Value> {
  const known = new WeakMap<Desk, { readonly value: Value }>();
  return async (desk) => {
    const { value } = known.get(desk) ?? { value: await make(desk) };
    known.set(desk, { value });
    return value;
  };
}
