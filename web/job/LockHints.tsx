import { For, type JSX, type ParentProps, Show } from "solid-js";
import type { CustodyHints } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { wayOf } from "../ui/way-of.ts";

/** As much of the journey that holds a tag as anybody may see, and below it what only some may. */
export function LockHints(props: ParentProps<{ readonly hints: CustodyHints }>): JSX.Element {
  const { t } = useI18n();
  const airports = () =>
    [props.hints.departureAirport, props.hints.destinationAirport].filter((code) => code !== undefined);
  const rows = () =>
    [
      [t("passenger.proof.route"), wayOf(airports())],
      [t("start.recordLocator"), asWritten(props.hints.maskedRecordLocator)],
      [t("start.surname"), asWritten(props.hints.maskedSurname)],
    ] as const;
  return (
    <section class="hints" aria-label={t("passenger.proof.hints")}>
      <dl class="facts">
        <For each={rows()}>
          {([name, value]) => (
            <Show when={value}>
              <Fact name={name}>
                <span class="code">{value}</span>
              </Fact>
            </Show>
          )}
        </For>
      </dl>
      {props.children}
    </section>
  );
}

export function Fact(props: ParentProps<{ readonly name: string }>): JSX.Element {
  return (
    <div>
      <dt>{props.name}</dt>
      <dd>{props.children}</dd>
    </div>
  );
}

/** In its own direction (U+2066, U+2069). */
const asWritten = (text: string | undefined) => text && `\u2066${text}\u2069`;
