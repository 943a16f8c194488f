/** What is tested: one row an area. A file belongs to the first row that names it. */
export interface Area {
  readonly name: string;
  /** Paths begin with one of these; a name that ends in "/" takes the files of that folder alone. */
  readonly files: readonly string[];
  readonly bench: BenchName;
  /** In per cent; without one the area is printed and judged by nobody. */
  readonly goal?: number;
}

/** The tests that are to see the faults: of which projects, and where they lie. */
export const BENCHES = {
  core: { projects: ["core-node"], tests: ["core/"] },
  sdk: { projects: ["web", "radio"], tests: ["web/sdk/"] },
  service: { projects: ["worker"], tests: ["worker/"] },
} as const;
export type BenchName = keyof typeof BENCHES;

const GOAL = 95;
const SERVICE = "worker/services/";
const inServices = (names: string) => names.split(" ").map((name) => SERVICE + name);

export const AREAS: readonly Area[] = [
  { name: "core/sec", files: ["core/sec/"], bench: "core", goal: GOAL },
  { name: "core/pki", files: ["core/pki/"], bench: "core", goal: GOAL },
  { name: "core/bag", files: ["core/bag/"], bench: "core" },
  { name: "core/gatt", files: ["core/gatt/"], bench: "core" },
  { name: "core/api", files: ["core/api/"], bench: "core" },
  { name: "core/bytes", files: ["core/"], bench: "core" },
  { name: "SDK Bluetooth", files: ["web/sdk/ble/"], bench: "sdk", goal: GOAL },
  { name: "SDK flows", files: ["web/sdk/"], bench: "sdk", goal: GOAL },
  {
    name: "lock",
    files: inServices(
      "lock- unlock. authorization. attachment claimed-plans. approved-content. tag-evidence.",
    ),
    bench: "service",
    goal: GOAL,
  },
  {
    name: "custody",
    files: inServices("custody-proof. failed-proofs. hints."),
    bench: "service",
    goal: GOAL,
  },
  {
    name: "budget",
    files: [...inServices("guess-budget."), "worker/rate-limits."],
    bench: "service",
    goal: GOAL,
  },
  {
    name: "sessions",
    files: [
      ...inServices(
        "open-session. refresh. logout. nonces. idempotency. known-device. device- client-certificate.",
      ),
      ...inServices("b2b-login. federated-login. attestation-"),
      "worker/auth",
      "worker/dpop",
      "worker/access-token.",
      "worker/clients.",
      "worker/host-keys.",
      "worker/keys.",
    ],
    bench: "service",
    goal: GOAL,
  },
  { name: "attestation", files: ["worker/attestation/"], bench: "service" },
  { name: "other services", files: [SERVICE], bench: "service" },
  { name: "other service", files: ["worker/"], bench: "service" },
];

export function areaOf(path: string): Area | undefined {
  return AREAS.find(({ files }) =>
    files.some(
      (name) => path.startsWith(name) && (name.endsWith("/") ? !path.slice(name.length).includes("/") : true),
    ),
  );
}
