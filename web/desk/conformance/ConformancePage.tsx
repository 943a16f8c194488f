import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { countsOf } from "../../../kit/conformance/check-row.ts";
import type { CheckId } from "../../../kit/conformance/checks.ts";
import { CHECK_TEXTS } from "../../../kit/conformance/texts/english.ts";
import { conformance as texts } from "../../i18n/en-conformance.ts";
import { ErrorPanel } from "../../job/ErrorPanel.tsx";
import { Page } from "../../pages/Page.tsx";
import { useAppState } from "../../state/app-state.tsx";
import { listen } from "../../state/browser.ts";
import { Button, Notice } from "../../ui/Controls.tsx";
import { Fact } from "../../ui/FlightLine.tsx";
import { saveFile } from "../save-file.ts";
import { CheckList, type ConformanceRun, checkAnchor, createConformanceRun } from "./CheckList.tsx";
import "./conformance.css";

/** Runs every check of the protocol against a tag of one's own; the report can be printed or saved. */
export function ConformancePage(): JSX.Element {
  const { jobStarted } = useAppState();
  const run = createConformanceRun(jobStarted);
  const allOpen = createPrinting();
  return (
    <div lang="en" dir="ltr">
      <Page title={texts.title} lead={texts.lead} wide>
        <div class="conformance">
          <div class="conformance-desk">
            <Desk run={run} />
          </div>
          <CheckList run={run} allOpen={allOpen()} />
        </div>
      </Page>
    </div>
  );
}

/** Whether the page is being printed. */
function createPrinting(): () => boolean {
  const [printing, setPrinting] = createSignal(false);
  listen(["beforeprint"], () => setPrinting(true));
  listen(["afterprint"], () => setPrinting(false));
  return printing;
}

interface DeskProps {
  readonly run: ConformanceRun;
}

function Desk(props: DeskProps): JSX.Element {
  const [optional, setOptional] = createSignal(false);
  const start = () => void props.run.start(optional());
  const busy = () => ["choosing", "preparing", "running", "signing"].includes(props.run.state());
  return (
    <Switch
      fallback={<Before run={props.run} optional={optional()} onOptional={setOptional} onStart={start} />}
    >
      <Match when={busy()}>
        <Working run={props.run} />
      </Match>
      <Match when={props.run.state() === "done" || props.run.state() === "stopped"}>
        <Outcome run={props.run} onStart={start} />
      </Match>
      <Match when={props.run.error()}>
        {(error) => (
          <div role="alert">
            <ErrorPanel
              error={error()}
              next={error().code === "custody_proof_required" ? texts.locked : undefined}
              actions={<Button onClick={start}>{texts.again}</Button>}
            />
          </div>
        )}
      </Match>
    </Switch>
  );
}

interface BeforeProps extends DeskProps {
  readonly optional: boolean;
  readonly onOptional: (on: boolean) => void;
  readonly onStart: () => void;
}

function Before(props: BeforeProps): JSX.Element {
  return (
    <section class="card">
      <h2 class="conformance-title">{texts.beforeTitle}</h2>
      <ul class="conformance-notes">
        <For each={Object.values(texts.before)}>{(note) => <li>{note}</li>}</For>
      </ul>
      <label class="conformance-choice">
        {texts.which}
        <select
          class="field-input"
          onChange={(event) =>
            props.run.choose(props.run.groups().find((group) => group === event.currentTarget.value))
          }
        >
          <option value="">{texts.whole}</option>
          <For each={props.run.groups()}>
            {(group) => (
              <option value={group} selected={props.run.group() === group}>
                {texts.groups[group]}
              </option>
            )}
          </For>
        </select>
      </label>
      <label class="conformance-option">
        <input
          type="checkbox"
          checked={props.optional}
          onChange={(event) => props.onOptional(event.currentTarget.checked)}
        />
        <span>
          {texts.optional}
          <span class="small soft">{texts.optionalHint}</span>
        </span>
      </label>
      <Button kind="primary" wide onClick={props.onStart}>
        {texts.choose}
      </Button>
    </section>
  );
}

function Working(props: DeskProps): JSX.Element {
  const done = () => countsOf([...props.run.results().values()]).applies;
  const total = () => props.run.applying();
  const now = () => {
    const id = props.run.current();
    if (props.run.state() === "choosing") return texts.choosing;
    if (props.run.state() === "signing") return texts.signing;
    return id === undefined ? texts.preparing : texts.running(id, CHECK_TEXTS[id].title);
  };
  return (
    <section class="card">
      <h2 class="conformance-title">{props.run.tag()?.name ?? texts.title}</h2>
      <progress
        class="conformance-progress"
        value={done()}
        max={total() || 1}
        aria-label={texts.progressLabel}
      />
      <p class="row row-spread small">
        <span class="conformance-now">{now()}</span>
        <span class="soft">{texts.progress(done(), total())}</span>
      </p>
      <Button wide onClick={props.run.stop}>
        {texts.stop}
      </Button>
    </section>
  );
}

function Outcome(props: DeskProps & { readonly onStart: () => void }): JSX.Element {
  const counts = () => countsOf([...props.run.results().values()]);
  const failures = () =>
    [...props.run.results().values()].flatMap(({ id, outcome }) => (outcome === "fail" ? [id] : []));
  const name = () => props.run.tag()?.name ?? "";
  const title = () => {
    if (props.run.state() === "stopped") return texts.stopped;
    const { fail, skip, applies } = counts();
    if (fail > 0) return texts.someFailed(name(), fail);
    return skip > 0 ? texts.someSkipped(name(), skip) : texts.allPassed(name(), applies);
  };
  const tone = () => {
    if (counts().fail > 0) return "bad";
    return props.run.state() === "stopped" || counts().skip > 0 ? "warn" : "good";
  };
  const word = () => {
    if (props.run.signed()) return texts.word.signed;
    return props.run.tag()?.signs ? texts.word.missing : texts.word.cannot;
  };
  const save = async () => {
    const text = await props.run.file();
    if (text !== undefined) saveFile(`conformance-${name() || "tag"}.json`, text);
  };
  return (
    <section class="card">
      <div role="status">
        <Notice tone={tone()} title={title()}>
          <p class="small">
            {[texts.passed(counts().pass), texts.failed(counts().fail), texts.skipped(counts().skip)].join(
              " · ",
            )}
          </p>
          <p class="small">{word()}</p>
        </Notice>
      </div>
      <Show when={props.run.tag()}>
        {(tag) => (
          <dl class="facts">
            <Fact name={texts.id}>{tag().id || "–"}</Fact>
            <Fact name={texts.generation}>{tag().generation}</Fact>
            <Fact name={texts.firmware}>{tag().firmware || "–"}</Fact>
            <Fact name={texts.date}>{new Date().toISOString().slice(0, 10)}</Fact>
          </dl>
        )}
      </Show>
      <Show when={failures().length > 0}>
        <ul class="conformance-failures">
          <For each={failures()}>
            {(id) => (
              <li>
                <button type="button" class="conformance-failure" onClick={() => show(id)}>
                  <span class="code small">{id}</span> {CHECK_TEXTS[id].title}
                </button>
              </li>
            )}
          </For>
        </ul>
      </Show>
      <div class="conformance-actions">
        <Button kind="primary" onClick={() => print()}>
          {texts.print}
        </Button>
        <Button onClick={() => void save()}>{texts.save}</Button>
        <Button kind="quiet" onClick={props.onStart}>
          {texts.again}
        </Button>
      </div>
    </section>
  );
}

/** Scrolls to a check, and moves the focus there for keyboard users. */
function show(id: CheckId): void {
  const summary = document.querySelector<HTMLElement>(`#${checkAnchor(id)} summary`);
  summary?.focus();
  summary?.scrollIntoView({ block: "center" });
}
