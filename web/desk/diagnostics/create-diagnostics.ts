import { type Accessor, createSignal, onMount } from "solid-js";
import type { RunRecord } from "../../../sdk/index.ts";
import { type RunLog, runLog } from "../../state/run-log.ts";
import { type Finding, findAbilities } from "./abilities.ts";

export interface Diagnostics {
  /** Undefined until they are known. */
  readonly findings: Accessor<readonly Finding[] | undefined>;
  /** The newest first; undefined while they load. */
  readonly runs: Accessor<readonly RunRecord[] | undefined>;
  readonly storage: Accessor<"ready" | "forbidden">;
  readonly removed: Accessor<boolean>;
  readonly remove: () => Promise<void>;
  /** Both tables as JSON, to send to support: once both are known. */
  readonly file: () => Promise<string>;
}

/** What `/diagnostics` shows: determined once, when the page opens. */
export function createDiagnostics(log: RunLog = runLog(), now: () => Date = () => new Date()): Diagnostics {
  const [findings, setFindings] = createSignal<readonly Finding[]>();
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
    file: async () => {
      const found = (await abilities).map(({ ability, ...finding }) => [ability, finding]);
      await reading;
      const report = {
        format: 1,
        at: now().toISOString(),
        browser: navigator.userAgent,
        abilities: Object.fromEntries(found),
        runs: runs() ?? [],
      };
      return `${JSON.stringify(report, undefined, 2)}\n`;
    },
  };
}
