import { For, type JSX, Show } from "solid-js";
import type { CustodyHints } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { wayOf } from "../ui/way-of.ts";

/** As much of the journey that holds a tag as anybody may see. */
export function LockHints(props: { readonly hints: CustodyHints }): JSX.Element {
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
              <div>
                <dt>{name}</dt>
                <dd>
                  <span class="code">{value}</span>
                </dd>
              </div>
            </Show>
          )}
        </For>
      </dl>
    </section>
  );
}

/** In its own direction (U+2066, U+2069). */
const asWritten = (text: string | undefined) => text && `\u2066${text}\u2069`;
