import { type JSX, Show } from "solid-js";
import type { Delegation } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import type { Request } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import "./delegate.css";

/** The digits that two people compare, spoken one by one, and what each of them says to it. */
export function Compare(props: {
  readonly delegation: Pick<Delegation, "comparison" | "confirmed">;
  readonly request: Request;
  readonly onDecide: (confirmed: boolean) => void;
}): JSX.Element {
  const { t } = useI18n();
  const digits = () => props.delegation.comparison ?? "";
  return (
    <section class="card" aria-labelledby="same">
      <h2 id="same">{t("passenger.delegate.compare")}</h2>
      <p role="status">
        <span class="delegate-digits" aria-hidden="true" dir="ltr">
          {digits()}
        </span>
        <span class="sr-only">{[...digits()].join(", ")}</span>
      </p>
      <p class="soft">{t("passenger.delegate.compareBody")}</p>
      <div role="alert" class="alert-slot">
        <Show when={props.request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </div>
      <Show
        when={!props.delegation.confirmed}
        fallback={<p role="status">{t("passenger.delegate.waiting")}</p>}
      >
        <Button kind="primary" wide busy={props.request.working()} onClick={() => props.onDecide(true)}>
          {t("passenger.delegate.yes")}
        </Button>
      </Show>
      <Button kind="quiet" wide onClick={() => props.onDecide(false)}>
        {t("passenger.delegate.no")}
      </Button>
    </section>
  );
}
