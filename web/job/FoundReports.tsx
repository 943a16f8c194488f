import { For, type JSX, Show } from "solid-js";
import type { FoundReport } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import "../ui/found.css";

interface FoundReportsProps {
  readonly reports: readonly FoundReport[];
  /** What a desk is called in the words of the screen. */
  readonly desk: (desk: string) => string;
}

/** What finders said, as text and nothing else: strangers wrote it. */
export function FoundReports(props: FoundReportsProps): JSX.Element {
  const { dateTime } = useI18n();
  return (
    <ul class="found-reports">
      <For each={props.reports}>
        {(report) => (
          <li>
            <p class="found-place">
              <Show when={report.airport}>{(airport) => <bdi class="code">{airport()}</bdi>}</Show>
              <Show when={report.desk}>{(desk) => <bdi>{props.desk(desk())}</bdi>}</Show>
              <span class="soft">{dateTime(Date.parse(report.at))}</span>
            </p>
            <Show when={report.words}>{(words) => <p dir="auto">{words()}</p>}</Show>
            <Show when={report.position}>
              {(at) => (
                <p class="soft small">
                  <bdi class="code" dir="ltr">
                    {at().latitude}, {at().longitude} (±&nbsp;{at().accuracyMetres}&nbsp;m)
                  </bdi>
                </p>
              )}
            </Show>
          </li>
        )}
      </For>
    </ul>
  );
}
