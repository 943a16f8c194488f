/** What is tested: one row an area. A file belongs to the first row that names it. */
export interface Area {
  readonly name: string;
  /** Paths begin with one of these; a name that ends in "/" takes the files of that folder alone. */
  readonly files: readonly string[];
  readonly bench: BenchName;
  /** In per cent; without a goal the area is only printed. */
  readonly goal?: number;
}

/** The tests that must catch the faults: their projects and folders. */
export const BENCHES = {
  core: { projects: ["core-node"], tests: ["core/"] },
  commands: { projects: ["scripts"], tests: ["scripts/ops/maker.", "scripts/ops/report."] },
  sdk: { projects: ["sdk", "radio"], tests: ["sdk/"] },
  service: { projects: ["worker"], tests: ["worker/"] },
} as const;
export type BenchName = keyof typeof BENCHES;

/** Each test goes on where the one before it ended. Faults are tried on some tests of a file, and these fail without one. */
export const STORIES: readonly string[] = [
  "worker/test/examples.test.ts",
  "worker/test/plain-client.test.ts",
];

const GOAL = 95;

export const AREAS: readonly Area[] = [
  {
    name: "core, by commands",
    files: ["core/sec/report.", "core/pki/certificate-request."],
    bench: "commands",
    goal: GOAL,
  },
  { name: "core/sec", files: ["core/sec/"], bench: "core", goal: GOAL },
  { name: "core/pki", files: ["core/pki/"], bench: "core", goal: GOAL },
  { name: "core/bag", files: ["core/bag/"], bench: "core" },
  { name: "core/gatt", files: ["core/gatt/"], bench: "core" },
  { name: "core/api", files: ["core/api/"], bench: "core" },
  { name: "core/encoding", files: ["core/encoding/"], bench: "core" },
  { name: "SDK Bluetooth", files: ["sdk/tag/"], bench: "sdk", goal: GOAL },
  { name: "SDK flows", files: ["sdk/", "sdk/flows/", "sdk/service/"], bench: "sdk", goal: GOAL },
  {
    name: "custody",
    files: ["worker/tags/custody-proof.", "worker/tags/hints.", "worker/guards/failed-proofs."],
    bench: "service",
    goal: GOAL,
  },
  {
    name: "budget",
    files: ["worker/guards/", "worker/auth/rate-limits."],
    bench: "service",
    goal: GOAL,
  },
  { name: "lock", files: ["worker/tags/", "worker/devices/"], bench: "service", goal: GOAL },
  {
    name: "sessions",
    files: ["worker/sessions/", "worker/auth/", "worker/database/idempotency.", "worker/config/keys."],
    bench: "service",
    goal: GOAL,
  },
  { name: "attestation", files: ["worker/sessions/attestation/"], bench: "service" },
  { name: "journeys and feeds", files: ["worker/journeys/", "worker/feeds/"], bench: "service" },
  {
    name: "other service",
    files: [
      "worker/",
      "worker/http/",
      "worker/database/",
      "worker/config/",
      "worker/audit/",
      "worker/scheduled/",
      "worker/documents/",
    ],
    bench: "service",
  },
];

export function areaOf(path: string): Area | undefined {
  return AREAS.find(({ files }) =>
    files.some(
      (name) => path.startsWith(name) && (name.endsWith("/") ? !path.slice(name.length).includes("/") : true),
    ),
  );
}
