import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { PHASES, type Phase, type RunRecord, radioAbilities } from "../../../sdk/index.ts";
import { diagnostics as words } from "../../i18n/en-diagnostics.ts";
import { Page } from "../../pages/Page.tsx";
import { type RunLog, runLog } from "../../state/run-log.ts";
import { Badge, Button } from "../../ui/Controls.tsx";
import { saveFile } from "../save-file.ts";
import "./diagnostics.css";

/** What this browser can do, and how long the last runs took: for tag makers and support. In English. */
export function DiagnosticsPage(): JSX.Element {
  const state = createDiagnostics();
  return (
    <div class="diagnostics" lang="en" dir="ltr">
      <Page title={words.title} lead={words.lead} wide>
        <div class="row">
          <Button
            kind="primary"
            onClick={async () => saveFile("taglatch-diagnostics.json", await state.file())}
          >
            {words.save}
          </Button>
        </div>
        <section class="card" aria-labelledby="abilities">
          <h2 id="abilities">{words.browser}</h2>
          <Show when={state.findings()} fallback={<p class="soft">{words.looking}</p>}>
            {(findings) => <Abilities findings={findings()} />}
          </Show>
        </section>
        <section class="card" aria-labelledby="runs">
          <h2 id="runs">{words.runs}</h2>
          <Runs state={state} />
        </section>
      </Page>
    </div>
  );
}

function Abilities(props: { readonly findings: readonly Finding[] }): JSX.Element {
  return (
    <ul class="abilities">
      <For each={props.findings}>
        {({ ability, has, detail }) => (
          <li class="ability">
            <Badge tone={has ? "good" : "plain"}>{has ? words.yes : words.no}</Badge>
            <span>
              {words.abilities[ability]}
              <Show when={detail}>
                <span class="ability-detail">{detail}</span>
              </Show>
            </span>
          </li>
        )}
      </For>
    </ul>
  );
}

function Runs(props: { readonly state: Diagnostics }): JSX.Element {
  const runs = () => props.state.runs() ?? [];
  return (
    <>
      <p class="small soft">{props.state.storage() === "forbidden" ? words.noStorage : words.runsNote}</p>
      <Show when={runs().length > 0} fallback={<p role="status">{nothing(props.state)}</p>}>
        <section class="runs" aria-label={words.runsTable} tabindex="0">
          <table class="runs-table">
            <thead>
              <tr>
                <For each={[words.when, words.operation, words.tag, words.outcome]}>
                  {(name) => <th scope="col">{name}</th>}
                </For>
                <For each={COLUMNS}>{(column) => <th scope="col">{words.phases[column]}</th>}</For>
                <th scope="col">{words.total}</th>
                <th scope="col">{words.retries}</th>
              </tr>
            </thead>
            <tbody>
              <For each={runs()}>{(run) => <Row run={run} />}</For>
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={4}>
                  {words.median}
                </th>
                <Cells timings={medians(runs())} />
                <td />
                <td />
              </tr>
            </tfoot>
          </table>
        </section>
        <div class="row">
          <Button onClick={() => void props.state.remove()}>{words.remove}</Button>
        </div>
      </Show>
    </>
  );
}

function nothing(state: Diagnostics): string {
  if (state.runs() === undefined) return words.looking;
  return state.removed() ? words.removed : words.noRuns;
}

function Row(props: { readonly run: RunRecord }): JSX.Element {
  const { run } = props;
  return (
    <tr>
      <th scope="row">{new Date(run.startedAt).toISOString().slice(0, 19).replace("T", " ")}</th>
      <td>{run.operation}</td>
      <td>{run.generation ?? "–"}</td>
      <td>{run.outcome}</td>
      <Cells timings={timingsOf(run)} />
      <td class="runs-number">{Math.round(run.elapsed)}</td>
      <td>{run.retries.join(", ") || "–"}</td>
    </tr>
  );
}

function Cells(props: { readonly timings: Timings }): JSX.Element {
  return <For each={COLUMNS}>{(column) => <td class="runs-number">{props.timings[column] ?? "–"}</td>}</For>;
}

type Diagnostics = ReturnType<typeof createDiagnostics>;

/** What `/diagnostics` shows: determined once, when the page opens. */
export function createDiagnostics(log: RunLog = runLog()) {
  // Undefined until they are known.
  const [findings, setFindings] = createSignal<readonly Finding[]>();
  // The newest first; undefined while they load.
  const [runs, setRuns] = createSignal<readonly RunRecord[]>();
  const [storage, setStorage] = createSignal<"ready" | "forbidden">("ready");
  const [removed, setRemoved] = createSignal(false);

  const read = async () => {
    try {
      setRuns(await log.all());
    } catch {
      // Private windows of some browsers have no storage: the page says so.
      setStorage("forbidden");
      setRuns([]);
    }
  };
  let reading = Promise.resolve();
  let abilities: Promise<readonly Finding[]> = Promise.resolve([]);
  onMount(() => {
    abilities = findAbilities();
    void abilities.then(setFindings);
    reading = read();
  });

  return {
    findings,
    runs,
    storage,
    removed,
    remove: async () => {
      await log.clear();
      setRemoved(true);
      await read();
    },
    /** Both tables as JSON, to send to support: once both are known. */
    file: async () => {
      const found = (await abilities).map(({ ability, ...finding }) => [ability, finding]);
      await reading;
      const report = {
        format: 1,
        at: new Date().toISOString(),
        browser: navigator.userAgent,
        abilities: Object.fromEntries(found),
        runs: runs() ?? [],
      };
      return `${JSON.stringify(report, undefined, 2)}\n`;
    },
  };
}

/** Columns of the table: `pick` is the person's time at the chooser, before the first phase. */
const COLUMNS = ["pick", ...PHASES] as const;
type Column = (typeof COLUMNS)[number];

/** Whole milliseconds by column; a column that a run did not have is absent. */
type Timings = Partial<Record<Column, number>>;

export function timingsOf(run: RunRecord): Timings {
  const chosenAt =
    run.operation === "pick" ? run.phases.find(({ phase }) => phase === "connect")?.at : undefined;
  const phases = run.phases.map(({ phase, duration }): [Phase, number] => [phase, Math.round(duration)]);
  return { ...(chosenAt === undefined ? {} : { pick: Math.round(chosenAt) }), ...Object.fromEntries(phases) };
}

/**
 * The median of each column over the successful runs; waiting people and failures would hide the tag's own
 * times.
 */
export function medians(runs: readonly RunRecord[]): Timings {
  const well = runs.filter(({ outcome }) => outcome === "ok").map(timingsOf);
  const entries = COLUMNS.flatMap((column): [Column, number][] => {
    const values = well.flatMap((timings) => timings[column] ?? []).sort((a, b) => a - b);
    const middle = values[Math.floor((values.length - 1) / 2)];
    return middle === undefined ? [] : [[column, middle]];
  });
  return Object.fromEntries(entries);
}

type Ability = keyof typeof PROBES;

interface Finding {
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

/**
 * The abilities of a browser that a transfer or a scan needs, as they are shown. Each is tested by itself: one refusal hides
 * no other answer.
 */
const PROBES = {
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
  vibration: () => has(navigator, "vibrate"),
  locale: () => ({
    has: true,
    detail: `${navigator.languages.join(", ")}; page ${document.documentElement.lang}`,
  }),
} satisfies Readonly<Record<string, () => Answer | Promise<Answer>>>;

/** Every ability in order. One that fails to answer counts as absent, with the error's name as its detail. */
export function findAbilities(): Promise<readonly Finding[]> {
  return Promise.all(
    (Object.keys(PROBES) as Ability[]).map(async (ability) => {
      try {
        const answer: Answer = await PROBES[ability]();
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
