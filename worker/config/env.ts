import { KioskPlace, type Limits, limits, parseBody, Theme } from "../../core/api/index.ts";
import { type Bytes, fromBase64 } from "../../core/encoding/bytes.ts";
import { fromPem, toPem } from "../../core/pki/pem.ts";
import { type IdPrefixes, prefixFault } from "../../core/pki/tag-roots.ts";
import { type DataKey, importDataKey } from "../secrets/sealed.ts";
import { APPLE_APP_ATTEST_ROOT } from "./apple-root.ts";
import {
  type DatedKey,
  importDatedKeys,
  importHmacKey,
  importKeyRing,
  importPushKey,
  importSignKey,
  type KeyRing,
  type PushKey,
  privateJwk,
  secret32,
} from "./keys.ts";

/** The platform's environment of the Worker: vars and secrets are text, the rest are bindings. */
export interface Bindings {
  readonly DB: D1Database;
  /** Static files of the page; absent in tests. */
  readonly ASSETS?: Fetcher;
  /** Counters of `rate-limits.ts`; a deployment without one has no limit there. */
  readonly NONCE_LIMIT?: RateLimit;
  readonly LOGIN_LIMIT?: RateLimit;
  readonly LOOKUP_LIMIT?: RateLimit;
  readonly FEED_LIMIT?: RateLimit;
  readonly READ_LIMIT?: RateLimit;
  readonly WRITE_LIMIT?: RateLimit;
  readonly HALL_LIMIT?: RateLimit;
  readonly HOLDER_LIMIT?: RateLimit;
  /** Takes one data point per request and scheduled run; a deployment without it has no metrics. */
  readonly METRICS?: AnalyticsEngineDataset;
  /** Takes one data point per outcome that a client sends; see `outcomes` of the settings. */
  readonly OUTCOME_COUNTS?: AnalyticsEngineDataset;
  /** Takes the audit log when it is old enough; without it, it stays in the database. */
  readonly ARCHIVE?: R2Bucket;
  readonly [variable: string]: unknown;
}

/** The whole configuration of the service, parsed once. There are no defaults for secrets. */
export interface Settings {
  readonly environment: "development" | "production";
  /** `iss` and `aud` of access tokens, and the `aud` attestations and host tokens must carry. */
  readonly issuer: string;
  /** The public origin, if it differs from the request's (a proxy in front); for DPoP `htu`, and the page's own `Origin`. */
  readonly publicOrigin: string | undefined;
  readonly accessTokenKeys: KeyRing;
  readonly transactionTokenKeys: KeyRing;
  /** Sign the seals of the audit log; they have no other use. */
  readonly auditSealKeys: KeyRing;
  readonly ca: { readonly root: Bytes; readonly intermediate: Bytes; readonly privateKey: CryptoKey };
  /** DER of the tag CAs a page may trust. */
  readonly tagRoots: readonly Bytes[];
  /** The ids that each of them may name; without lists, all. */
  readonly tagRootIds: readonly IdPrefixes[] | undefined;
  /** DER of the CAs at which App Attest chains may end. */
  readonly appleAppAttestRoots: readonly Bytes[];
  readonly refreshKey: CryptoKey;
  /** Make and open the `cti` of transaction tokens, newest first (rules §5). */
  readonly ctiKeys: readonly DatedKey[];
  readonly dataKey: DataKey;
  readonly pepper: Bytes;
  readonly pepperKey: CryptoKey;
  /** The client whose rules apply to endpoints 3 and 4 without a client key; undefined closes them. */
  readonly defaultClientId: string | undefined;
  readonly pageClientKeys: { readonly passenger?: string; readonly kiosk?: string };
  /** Origins of host apps that may hand a traveller over to the page by message. */
  readonly handOverOrigins: readonly string[];
  /** Ways out for browsers without Bluetooth. */
  readonly kiosks: readonly KioskPlace[];
  readonly iosBrowser: string | undefined;
  readonly iosApp: string | undefined;
  /** `TEAM.bundle` of the airline's apps and App Clips that open a tag's link. */
  readonly appleApps: readonly string[];
  /** The same on Android: package, then SHA-256 of each certificate that signs it. */
  readonly androidApps: readonly (readonly string[])[];
  /** Where links to a bag's place may lead: a host, or a host and the beginning of a path. */
  readonly locationLinkPlaces: readonly string[];
  /** Where to report a vulnerability: addresses of /.well-known/security.txt. */
  readonly securityContacts: readonly string[];
  /** The key of Web Push and its contact; undefined: none is sent. */
  readonly push: (PushKey & { readonly contact: string }) | undefined;
  /** How the airline of this installation looks; undefined is the page's own look. */
  readonly theme: Theme | undefined;
  readonly registry: "open" | "closed";
  /** Whose outcomes are counted; undefined: none. */
  readonly outcomes: "hosts" | "all" | undefined;
  readonly limits: Limits;
  /** Share of valid nonces to refuse, 0 to 1. */
  readonly chaosNonceReject: number;
}

/** Shared item locations of Apple's Find My and Google's Find Hub (docs/operations.md). */
const LOCATION_LINK_PLACES = "share.apple.com www.google.com/android/find/";

/** A var that is missing or wrong. The message names the var and never repeats its value. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly variable: string;
  constructor(variable: string, cause?: unknown) {
    super(`${variable} is missing or malformed`, { cause });
    this.variable = variable;
  }
}

/** Parses `bindings`; throws {@link SettingsError} rather than start half configured. */
export async function readSettings(bindings: Bindings): Promise<Settings> {
  const vars = new Vars(bindings);
  const environment = vars.choice("ENVIRONMENT", ["production", "development"]);
  const pepperText = vars.text("PEPPER");
  const securityContacts = await vars.parsed("SECURITY_CONTACT", contacts, "");
  return {
    environment,
    issuer: vars.optional("ISSUER") ?? "taglatch",
    publicOrigin: vars.optional("PUBLIC_ORIGIN"),
    accessTokenKeys: await vars.parsed("ACCESS_TOKEN_KEYS", importKeyRing),
    transactionTokenKeys: await vars.parsed("TRANSACTION_TOKEN_KEYS", importKeyRing),
    auditSealKeys: await vars.parsed("AUDIT_SEAL_KEYS", importKeyRing),
    ca: {
      root: await vars.parsed("CA_ROOT_CERT", fromBase64),
      intermediate: await vars.parsed("CA_INTERMEDIATE_CERT", fromBase64),
      privateKey: await vars.parsed("CA_INTERMEDIATE_KEY", (text) => importSignKey(privateJwk(text))),
    },
    ...(await tagRootsOf(vars)),
    appleAppAttestRoots: await vars.parsed("APPLE_APP_ATTEST_ROOTS", pemLines, APPLE_APP_ATTEST_ROOT),
    refreshKey: await vars.parsed("REFRESH_KEY", importHmacKey),
    ctiKeys: await vars.parsed("CTI_KEYS", importDatedKeys),
    dataKey: await dataKeyOf(vars),
    pepper: await vars.parsed("PEPPER", secret32),
    pepperKey: await importHmacKey(pepperText),
    defaultClientId: defaultClient(vars.text("DEFAULT_CLIENT_ID")),
    pageClientKeys: {
      ...vars.member("passenger", "PAGE_CLIENT_KEY"),
      ...vars.member("kiosk", "KIOSK_CLIENT_KEY"),
    },
    theme: readTheme(vars),
    handOverOrigins: await vars.parsed("HANDOVER_ORIGINS", origins, ""),
    kiosks: await vars.parsed("KIOSKS", kioskLines, ""),
    iosBrowser: await vars.parsed("IOS_BROWSER", httpsLink, ""),
    iosApp: await vars.parsed("IOS_APP", httpsLink, ""),
    appleApps: (await vars.parsed("APPLE_APPS", apps(APPLE_APP), "")).flat(),
    androidApps: await vars.parsed("ANDROID_APPS", apps(ANDROID_APP), ""),
    locationLinkPlaces: (vars.optional("LOCATION_LINK_PLACES") ?? LOCATION_LINK_PLACES).split(/\s+/),
    securityContacts,
    push: await pushOf(vars, securityContacts),
    registry: vars.choice("DEVICE_REGISTRY", ["open", "closed"], "open"),
    outcomes: outcomesOf(vars, bindings),
    limits: readLimits(vars),
    chaosNonceReject: vars.number("CHAOS_NONCE_REJECT", 0, 1) ?? 0,
  };
}

/** DATA_KEY_BEFORE exists only while DATA_KEY is being changed (docs/operations.md). */
async function dataKeyOf(vars: Vars): Promise<DataKey> {
  const before = await vars.parsed(
    "DATA_KEY_BEFORE",
    (text) => (text === "" ? undefined : secret32(text)),
    "",
  );
  return vars.parsed("DATA_KEY", (text) => importDataKey(secret32(text), before));
}

/** OUTCOMES without the data set that takes them is an error. */
function outcomesOf(vars: Vars, { OUTCOME_COUNTS }: Bindings): Settings["outcomes"] {
  const choice = vars.choice("OUTCOMES", ["off", "hosts", "all"], "off");
  if (choice === "off") return undefined;
  if (OUTCOME_COUNTS === undefined) throw new SettingsError("OUTCOMES", new Error("no data set is bound"));
  return choice;
}

/** Push services need a contact (RFC 8292 §2.1): a key without one is an error. */
async function pushOf(vars: Vars, contacts: readonly string[]): Promise<Settings["push"]> {
  if (vars.optional("VAPID_KEY") === undefined) return undefined;
  const contact = contacts.find((one) => !one.startsWith("tel:"));
  if (contact === undefined) throw new SettingsError("SECURITY_CONTACT");
  return { ...(await vars.parsed("VAPID_KEY", importPushKey)), contact };
}

/** TAG_ROOT_IDS is JSON: for each root, in their order, a list of beginnings of ids. */
async function tagRootsOf(vars: Vars): Promise<Pick<Settings, "tagRoots" | "tagRootIds">> {
  const pems = (await vars.parsed("TAG_ROOTS", pemLines, "")).map(toPem);
  const tagRoots = [...new Set(pems)].flatMap(fromPem);
  const tagRootIds = await vars.parsed("TAG_ROOT_IDS", idLists, "");
  const fault = prefixFault(tagRoots.length, tagRootIds);
  if (fault !== undefined) throw new SettingsError("TAG_ROOT_IDS", new Error(fault));
  return { tagRoots, tagRootIds };
}

function idLists(text: string): readonly IdPrefixes[] | undefined {
  if (text === "") return undefined;
  const lists: unknown = JSON.parse(text);
  const isList = (list: unknown) => Array.isArray(list) && list.every((prefix) => typeof prefix === "string");
  if (!Array.isArray(lists) || !lists.every(isList)) throw new Error("not lists of texts");
  return lists;
}

const defaultClient = (id: string) => (id === "none" ? undefined : id);

/** PEM in a var: several certificates, line ends escaped or not. */
const pemLines = (text: string) => fromPem(text.replaceAll("\\n", "\n"));

/** Origins separated by spaces; each exactly as browsers write it, so that comparing texts is enough. */
function origins(text: string): readonly string[] {
  const all = wordsOf(text);
  for (const origin of all) if (new URL(origin).origin !== origin) throw new Error("not an origin");
  return all;
}

/** Line ends escaped or not. */
const linesOf = (text: string) => text.split(/\n|\\n/).filter((line) => line.trim() !== "");

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== "");

/** Team and bundle of an app of Apple's systems; package and certificates of an Android app. */
const APPLE_APP = /^[A-Z\d]{10}(\.[\w-]+)+$/;
const ANDROID_APP = /^[a-z]\w*(\.[a-z]\w*)+( ([\dA-F]{2}:){31}[\dA-F]{2})+$/i;

/** One app a line, as words. */
const apps = (form: RegExp) => (text: string) =>
  linesOf(text).map((line) => {
    const words = wordsOf(line);
    if (!form.test(words.join(" "))) throw new Error("not an app");
    return words;
  });

/** One kiosk a line: its airport, a space, its place. */
function kioskLines(text: string): readonly KioskPlace[] {
  return linesOf(text).map((line) => {
    const [, airport, place] = /^\s*(\S+)\s+(.*?)\s*$/.exec(line) ?? [];
    const kiosk = parseBody(KioskPlace, { airport, place });
    if (!kiosk.ok) throw new Error("not a kiosk");
    return kiosk.value;
  });
}

/** Addresses separated by spaces, as RFC 9116 wants them: a mailbox, a page or a telephone. */
function contacts(text: string): readonly string[] {
  return wordsOf(text).map((contact) => {
    const { protocol, href } = new URL(contact);
    if (!["https:", "mailto:", "tel:"].includes(protocol)) throw new Error("not a contact");
    return href;
  });
}

function httpsLink(text: string): string | undefined {
  if (text === "") return undefined;
  const { protocol, href } = new URL(text);
  if (protocol !== "https:") throw new Error("not an https link");
  return href;
}

/** The var of each member of {@link Theme} that is text. */
const THEME_VARS = {
  name: "THEME_NAME",
  logo: "THEME_LOGO",
  logoDark: "THEME_LOGO_DARK",
  icon: "THEME_ICON",
  accent: "THEME_ACCENT",
  accentDark: "THEME_ACCENT_DARK",
} as const;

/** Undefined where no var is set. */
function readTheme(vars: Vars): Theme | undefined {
  const members = Object.entries(THEME_VARS) as [keyof Theme, string][];
  const isNamed = vars.choice("THEME_LOGO_WITH_NAME", ["yes", "no"], "no") === "yes";
  const given = Object.assign(
    isNamed ? { nameBesideLogo: true } : {},
    ...members.map(([name, variable]) => vars.member(name, variable)),
  ) as Theme;
  const theme = parseBody(Theme, given);
  if (!theme.ok) throw new SettingsError(THEME_VARS[theme.fields[0] as keyof typeof THEME_VARS]);
  return Object.keys(given).length === 0 ? undefined : theme.value;
}

/** `accessTokenSeconds` may be overridden by ACCESS_TOKEN_SECONDS, and so on (rules §2). */
function readLimits(vars: Vars): Limits {
  const entries = Object.entries(limits).map(([name, value]) => {
    const variable = name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    return [name, vars.number(variable, 0, Number.MAX_SAFE_INTEGER) ?? value];
  });
  return Object.fromEntries(entries) as Limits;
}

/** Reads vars, with one kind of error. */
class Vars {
  readonly #bindings: Bindings;
  constructor(bindings: Bindings) {
    this.#bindings = bindings;
  }

  optional(name: string): string | undefined {
    const value = this.#bindings[name];
    return typeof value === "string" && value.trim() !== "" ? value : undefined;
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined) throw new SettingsError(name);
    return value;
  }

  async parsed<T>(name: string, parse: (text: string) => T | Promise<T>, fallback?: string): Promise<T> {
    const text = this.optional(name) ?? fallback ?? this.text(name);
    try {
      return await parse(text);
    } catch (cause) {
      throw new SettingsError(name, cause);
    }
  }

  choice<const T extends string>(name: string, choices: readonly T[], fallback?: T): T {
    const value = this.optional(name) ?? fallback;
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new SettingsError(name);
    return choice;
  }

  number(name: string, minimum: number, maximum: number): number | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!(value >= minimum && value <= maximum)) throw new SettingsError(name);
    return value;
  }

  member<const Name extends string>(name: Name, variable: string): { readonly [name in Name]?: string } {
    const value = this.optional(variable);
    return value === undefined ? {} : ({ [name]: value } as { [name in Name]: string });
  }
}
