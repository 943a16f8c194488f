import type { RadioFate, TagFaults } from "../tag/tag-types.ts";

/** A well-behaved tag on a perfect link. */
export function noFaults(): TagFaults {
  return {
    dropAt: null,
    refuseConnects: 0,
    slowDisplay: null,
    lowBattery: false,
    wrongCertificate: false,
    busy: false,
    radio: null,
  };
}

/** What becomes of a connection attempt. */
export function connectFate(faults: TagFaults): { readonly delay: number; readonly fails: boolean } {
  if (faults.refuseConnects > 0) {
    faults.refuseConnects--;
    return { delay: 0, fails: true };
  }
  return faults.radio?.connect() ?? { delay: 0, fails: false };
}

/** What becomes of the `index`-th operation of a connection. A switch that dropped the link is off afterwards. */
export function operationFate(
  faults: TagFaults,
  index: number,
  kind: "read" | "write",
  length: number,
): RadioFate {
  const { dropAt } = faults;
  if (dropAt?.operation === index) {
    faults.dropAt = null;
    return { delay: 0, drop: dropAt.when };
  }
  return faults.radio?.operation(index, kind, length) ?? { delay: 0 };
}
