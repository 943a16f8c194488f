import { createSignal, For, type JSX, onMount, Show } from "solid-js";
import { PHASES, type Phase, type RunRecord } from "../../../sdk/index.ts";
import { diagnostics as words } from "../../i18n/en-diagnostics.ts";
import { Page } from "../../pages/Page.tsx";
import { type RunLog, runLog } from "../../state/run-log.ts";
import { Button } from "../../ui/Button.tsx";
import { Badge } from "../../ui/Notice.tsx";
import { saveFile } from "../save-file.ts";
import { type Finding, findAbilities } from "./abilities.ts";
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
