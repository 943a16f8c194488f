import { type JSX, Match, Switch } from "solid-js";
import type { TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { actionOf } from "../job/error-action.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";

export interface RemedyProps {
  readonly error: TaglatchError;
  readonly again: () => void;
  /** Chooses a different tag; absent where there can be only one. */
  readonly another?: (() => void) | undefined;
  readonly back: { readonly href: string; readonly label: string };
}

/** The button that does what the error's sentence advises. */
export function Remedy(props: RemedyProps): JSX.Element {
  const { t } = useI18n();
  const action = () => actionOf(props.error);
  return (
    <Switch
      fallback={
        <ButtonLink kind="primary" href={props.back.href}>
          {props.back.label}
        </ButtonLink>
      }
    >
      <Match when={action() === "again"}>
        <Button kind="primary" onClick={props.again}>
          {t("app.again")}
        </Button>
      </Match>
      <Match when={action() === "another" && props.another}>
        {(another) => (
          <Button kind="primary" onClick={another()}>
            {t("passenger.otherBag.another")}
          </Button>
        )}
      </Match>
      <Match when={action() === "renew"}>
        {/* Whoever wants to clear a tag returns to that. */}
        <ButtonLink
          kind="primary"
          href="/find?again"
          state={location.pathname === "/clear" ? { to: "/clear" } : undefined}
        >
          {t("start.find")}
        </ButtonLink>
      </Match>
      <Match when={action() === "reload"}>
        <Button kind="primary" onClick={() => location.reload()}>
          {t("journey.reload")}
        </Button>
      </Match>
    </Switch>
  );
}
