import { type JSX, Show } from "solid-js";
import type { TaglatchError, TaglatchErrorCode } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Button, ButtonLink } from "../ui/Controls.tsx";

/**
 * What a person does about an error: the button that goes with the sentence. `another`: a different tag. `journey`: look
 * at the journey again. `renew`: the booking gives the right to it, or another session. `leave`: nothing on this page helps.
 */
type ErrorAction = "again" | "another" | "journey" | "renew" | "reload" | "leave";

/** Where trying again would be pointless; everything else is tried again. */
const OTHERWISE: Readonly<Record<Exclude<ErrorAction, "again">, readonly TaglatchErrorCode[]>> = {
  another: [
    "not_a_tag",
    "unknown_device",
    "wrong_tag",
    "untrusted_tag",
    "generation_refused",
    "low_battery",
    "lockout",
    "custody_proof_needed",
    "custody_proof_attempts_exceeded",
    "device_locked",
    "device_lost",
    "device_not_found",
    "not_lock_holder",
    "too_many_attempts",
  ],
  journey: ["payload_mismatch", "baggage_not_found", "bag_limit", "bag_refused", "too_many_requests"],
  renew: [
    "client_refused",
    "unauthorized_token",
    "invalid_refresh_token",
    "journey_not_found",
    "custody_proof_required",
  ],
  reload: [
    "idempotency_key_reused",
    "not_found",
    "method_not_allowed",
    "payload_too_large",
    "unsupported_media_type",
    "invalid_answer",
  ],
  leave: [
    "unsupported",
    "insecure_context",
    "blocked_by_policy",
    "unauthorized_client",
    "insufficient_scope",
    "configuration_invalid",
    "no_tag_roots",
    "no_client_key",
  ],
};

export function actionOf({ code }: TaglatchError): ErrorAction {
  const actions = Object.keys(OTHERWISE) as Exclude<ErrorAction, "again">[];
  return actions.find((action) => OTHERWISE[action].includes(code)) ?? "again";
}

/** A button: where it leads, or what it does. */
export interface Way {
  readonly label: string;
  readonly href?: string;
  /** For the screen it leads to. */
  readonly state?: object | undefined;
  readonly act?: () => void;
}

interface RemedyProps {
  readonly error: TaglatchError;
  readonly again: () => void;
  /** Chooses a different tag; absent where there can be only one. */
  readonly another?: (() => void) | undefined;
  /** Finds the booking, and with it another session; absent: on a page of its own. */
  readonly renew?: Way;
  readonly reload?: () => void;
  /** Looks at the journey again; absent where that is nothing else than to leave. */
  readonly journey?: Way | undefined;
  readonly leave: Way;
  /** As wide as its column. */
  readonly wide?: boolean;
}

/** Clearing a tag goes on after the remedy. */
const returnTo = () => (location.pathname === "/clear" ? { to: "/clear" } : undefined);

/** The button that does what the error's sentence advises. */
export function Remedy(props: RemedyProps): JSX.Element {
  const { t } = useI18n();
  const way = (): Way => {
    switch (actionOf(props.error)) {
      case "again":
        return { label: t("app.again"), act: props.again };
      case "another":
        return props.another ? { label: t("passenger.otherBag.another"), act: props.another } : props.leave;
      case "renew":
        return props.renew ?? { label: t("start.find"), href: "/find?again", state: returnTo() };
      case "reload":
        return { label: t("journey.reload"), act: props.reload ?? (() => location.reload()) };
      case "journey":
        return props.journey ?? props.leave;
      case "leave":
        return props.leave;
    }
  };
  return (
    <Show
      when={way().href}
      fallback={
        <Button kind="primary" wide={props.wide === true} onClick={() => way().act?.()}>
          {way().label}
        </Button>
      }
    >
      {(href) => (
        <ButtonLink kind="primary" href={href()} state={way().state}>
          {way().label}
        </ButtonLink>
      )}
    </Show>
  );
}
