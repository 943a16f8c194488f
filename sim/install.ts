/**
 * Virtual tags for a page: the SDK ships this as its entrance for tests. It shares nothing with the SDK but
 * the protocol.
 */
import { type Bytes, fromBase64 } from "../core/encoding/bytes.ts";
import type { GattVersion } from "../core/gatt/profile.ts";
import { fromPem } from "../core/pki/pem.ts";
import { fakeBluetooth } from "./radio/fake-bluetooth.ts";
import { realTimeWorld } from "./real-time-world.ts";
import { TagSimulator } from "./tag/tag-simulator.ts";
import type { Anchors, TagChooser, TagConfig, TagCredential, TokenKey, VirtualTag } from "./tag/tag-types.ts";

export {
  checkRadio,
  type RadioCheck,
  type RadioCheckOptions,
  type RadioReport,
} from "./radio-check/check-radio.ts";
export { RadioTestTag } from "./radio-check/radio-test-tag.ts";
export type {
  ConnectionToCheck,
  LinkToCheck,
  PropertiesToCheck,
  RadioToCheck,
} from "./radio-check/radio-to-check.ts";
export type { Anchors, TagChooser, TagEvent, TagFaults, TagSnapshot, VirtualTag } from "./tag/tag-types.ts";

/**
 * Why there are no virtual tags: the service has none (it is not a development one), or cannot be reached.
 */
export class VirtualTagsError extends Error {
  override readonly name = "VirtualTagsError";
  readonly code: "unavailable" | "unreachable";
  constructor(code: "unavailable" | "unreachable", options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/** What the next chooser does: returns this tag, closes, or asks {@link VirtualTags.chooser}. */
export type Choice = VirtualTag | "cancel" | null;

export interface VirtualTags {
  readonly tags: readonly VirtualTag[];
  /**
   * The tag that `requestDevice` gives; `null` (the initial value) asks the chooser, which takes the first
   * that fits.
   */
  choice: Choice;
  /** Asked when `choice` is `null`: a page may put a dialog of its own here. */
  chooser: TagChooser;
  /** The roots of both sides, for the files of handshakes. */
  readonly anchors: Anchors;
  /** Restores the browser's own `navigator.bluetooth`; open virtual connections end. */
  uninstall(): void;
}

/** A row of `/demo/tags.json`. A v2.0 tag has neither key nor certificate. */
interface DemoTag {
  readonly id: string;
  readonly generation: GattVersion;
  readonly privateJwk: JsonWebKey | null;
  readonly certificateChain: readonly string[] | null;
}

interface Trust {
  readonly clientRoots: readonly string[];
  readonly tagRoots: readonly string[];
  readonly tokenKeys: { readonly keys: readonly TokenKey[] };
}

export interface VirtualTagsOptions {
  /** Origin (and path) of a development service without a trailing slash; default "", the page's own origin. */
  readonly baseUrl?: string;
}

/**
 * Fetches the demo tags and their trust anchors, and puts the tags where the page looks for a radio. Their
 * state lives only in this page's memory. Safari and Firefox have no Web Bluetooth; there this creates one.
 *
 * @throws VirtualTagsError
 */
export async function installVirtualTags({ baseUrl = "" }: VirtualTagsOptions = {}): Promise<VirtualTags> {
  const [rows, trust] = await Promise.all([
    fetchJson<readonly DemoTag[]>(`${baseUrl}/demo/tags.json`),
    fetchJson<Trust>(`${baseUrl}/.well-known/ebt-configuration`),
  ]);
  const tags = await makeTags(rows, trust);
  const handle: VirtualTags = {
    tags,
    anchors: {
      clientRoots: trust.clientRoots.flatMap(fromPem),
      tagRoots: trust.tagRoots.flatMap(fromPem),
    },
    choice: null,
    chooser: async ([first]) => first,
    uninstall() {
      for (const tag of tags) tag.disconnect();
      Reflect.deleteProperty(navigator, "bluetooth");
    },
  };
  const choose: TagChooser = async (fitting) => {
    const { choice } = handle;
    if (choice === "cancel") return undefined;
    return choice !== null && fitting.includes(choice) ? choice : handle.chooser(fitting);
  };
  // An own property hides the prototype's accessor; removing it brings the accessor back.
  Object.defineProperty(navigator, "bluetooth", { value: fakeBluetooth(tags, choose), configurable: true });
  return handle;
}

/** One tag per row, each with another tag's certificate for the switch that presents a wrong one. */
export async function makeTags(rows: readonly DemoTag[], trust: Trust): Promise<VirtualTag[]> {
  const world = realTimeWorld();
  const clientRoots = trust.clientRoots.flatMap(fromPem);
  const credentials = await Promise.all(rows.map(credentialOf));
  return Promise.all(
    rows.map(({ id, generation }, i) => {
      const credential = credentials[i];
      const wrongCredential = credentials.find((other) => other !== undefined && other !== credential);
      const config: TagConfig = {
        id,
        generation,
        clientRoots,
        tokenKeys: trust.tokenKeys.keys,
        ...(credential === undefined ? {} : { credential }),
        ...(wrongCredential === undefined ? {} : { wrongCredential }),
        // Its memory ends with the page, and the service accepts no lower number than it has verified.
        commits: Math.floor(Date.now() / 1_000),
        // A virtual tag has no secrets to keep, so its handshakes can be saved for sec:verify.
        revealSecrets: true,
        // Slow enough to see the e-paper at work.
        displayMs: 1_500,
      };
      return TagSimulator.create(config, world);
    }),
  );
}

async function credentialOf({ privateJwk, certificateChain }: DemoTag): Promise<TagCredential | undefined> {
  if (privateJwk === null || certificateChain === null) return undefined;
  const chain: Bytes[] = certificateChain.map(fromBase64);
  const parameters = { name: "ECDSA", namedCurve: "P-256" };
  return { chain, privateKey: await crypto.subtle.importKey("jwk", privateJwk, parameters, false, ["sign"]) };
}

async function fetchJson<Shape>(url: string): Promise<Shape> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch (cause) {
    throw new VirtualTagsError("unreachable", { cause });
  }
  if (!response.ok) throw new VirtualTagsError("unavailable");
  return (await response.json()) as Shape;
}
