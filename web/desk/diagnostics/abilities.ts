/**
 * The abilities of a browser that a transfer or a scan needs. Each is tested by itself: one refusal hides no
 * other answer.
 */
import { radioAbilities } from "../../../sdk/index.ts";

const ABILITIES = [
  "secureContext",
  "bluetooth",
  "bluetoothAvailable",
  "getDevices",
  "watchAdvertisements",
  "barcodeDetector",
  "camera",
  "wakeLock",
  "backgroundSync",
  "ecdsaP256",
  "ecdhP256",
  "x25519",
  "ed25519",
  "hkdf",
  "aesGcm",
  "storagePersisted",
  "serviceWorker",
  "trustedTypes",
  "viewTransitions",
  "vibration",
  "locale",
] as const;
export type Ability = (typeof ABILITIES)[number];

export interface Finding {
  readonly ability: Ability;
  readonly has: boolean;
  /** Formats, states, numbers; nothing that names a person or a device. */
  readonly detail?: string;
}

type Answer = boolean | { readonly has: boolean; readonly detail: string };

interface Detector {
  getSupportedFormats(): Promise<readonly string[]>;
}

const has = (owner: object | undefined, member: string) => owner !== undefined && member in owner;

const PROBES: Readonly<Record<Ability, () => Answer | Promise<Answer>>> = {
  secureContext: () => globalThis.isSecureContext === true,
  bluetooth: async () => (await radioAbilities()).present,
  bluetoothAvailable: async () => (await radioAbilities()).available,
  getDevices: async () => (await radioAbilities()).getDevices,
  watchAdvertisements: async () => (await radioAbilities()).watchAdvertisements,
  barcodeDetector: async () => {
    const { BarcodeDetector } = globalThis as { BarcodeDetector?: Detector };
    const formats = (await BarcodeDetector?.getSupportedFormats()) ?? [];
    return { has: formats.length > 0, detail: formats.join(", ") };
  },
  camera: async () => {
    const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    const count = devices.filter(({ kind }) => kind === "videoinput").length;
    return { has: count > 0, detail: `${count}, ${await permission("camera")}` };
  },
  wakeLock: () => has(navigator, "wakeLock"),
  backgroundSync: () => has(globalThis, "SyncManager"),
  ecdsaP256: () => generates({ name: "ECDSA", namedCurve: "P-256" }, ["sign", "verify"]),
  ecdhP256: () => generates({ name: "ECDH", namedCurve: "P-256" }, ["deriveBits"]),
  x25519: () => generates({ name: "X25519" }, ["deriveBits"]),
  ed25519: () => generates({ name: "Ed25519" }, ["sign", "verify"]),
  hkdf: async () => {
    const key = await crypto.subtle.importKey("raw", new Uint8Array(32), "HKDF", false, ["deriveBits"]);
    const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new Uint8Array() };
    return (await crypto.subtle.deriveBits(how, key, 256)).byteLength === 32;
  },
  aesGcm: () => generates({ name: "AES-GCM", length: 128 }, ["encrypt", "decrypt"]),
  storagePersisted: async () => {
    const { usage = 0, quota = 0 } = (await navigator.storage?.estimate()) ?? {};
    const detail = `${megabytes(usage)} of ${megabytes(quota)} MB`;
    return { has: (await navigator.storage?.persisted()) ?? false, detail };
  },
  serviceWorker: async () => {
    const registration = await navigator.serviceWorker?.getRegistration();
    const { active, waiting } = registration ?? {};
    return { has: active != null, detail: waiting ? "a new version waits" : (active?.state ?? "none") };
  },
  trustedTypes: () => has(globalThis, "trustedTypes"),
  viewTransitions: () => has(document, "startViewTransition"),
  vibration: () => has(navigator, "vibrate"),
  locale: () => ({
    has: true,
    detail: `${navigator.languages.join(", ")}; page ${document.documentElement.lang}`,
  }),
};

/** Every ability in order. One that fails to answer counts as absent, with the error's name as its detail. */
export function findAbilities(): Promise<readonly Finding[]> {
  return Promise.all(
    ABILITIES.map(async (ability) => {
      try {
        const answer = await PROBES[ability]();
        return typeof answer === "boolean" ? { ability, has: answer } : { ability, ...answer };
      } catch (error) {
        return { ability, has: false, detail: error instanceof Error ? error.name : "error" };
      }
    }),
  );
}

async function generates(
  algorithm: EcKeyGenParams | AesKeyGenParams | Algorithm,
  usages: KeyUsage[],
): Promise<boolean> {
  await crypto.subtle.generateKey(algorithm, false, usages);
  return true;
}

async function permission(name: string): Promise<string> {
  const status = await navigator.permissions?.query({ name: name as PermissionName });
  return status?.state ?? "unknown";
}

const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
