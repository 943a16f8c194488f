import { type JSX, Show } from "solid-js";
import { Icon, type IconName } from "./Icon.tsx";

type ButtonKind = "primary" | "secondary" | "quiet";

interface Common {
  readonly kind?: ButtonKind;
  /** As wide as its column. */
  readonly wide?: boolean;
  readonly icon?: IconName;
  readonly children: JSX.Element;
}

interface ButtonProps extends Common {
  readonly type?: "button" | "submit";
  /**
   * The button stays focusable and says that it is busy, but does nothing: losing the focus is worse than a
   * dead button.
   */
  readonly busy?: boolean;
  readonly label?: string;
  readonly autofocus?: boolean;
  readonly onClick?: (event: MouseEvent) => void;
}

export function Button(props: ButtonProps): JSX.Element {
  const click = (event: MouseEvent) => {
    if (props.busy) event.preventDefault();
    else props.onClick?.(event);
  };
  return (
    <button
      type={props.type ?? "button"}
      class="button"
      data-kind={props.kind ?? "secondary"}
      data-wide={props.wide ? "" : undefined}
      aria-disabled={props.busy ? "true" : undefined}
      aria-label={props.label}
      autofocus={props.autofocus}
      onClick={click}
    >
      <Show when={props.icon}>{(name) => <Icon name={name()} />}</Show>
      <span>{props.children}</span>
    </button>
  );
}

/** A link that looks like a button: for going somewhere, not for doing something. */
export function ButtonLink(
  props: Common & {
    readonly href: string;
    /** For the screen it leads to: not part of the address. */
    readonly state?: object | undefined;
  },
): JSX.Element {
  return (
    <a
      href={props.href}
      {...(props.state && { state: JSON.stringify(props.state) })}
      class="button"
      data-kind={props.kind ?? "secondary"}
      data-wide={props.wide ? "" : undefined}
    >
      <Show when={props.icon}>{(name) => <Icon name={name()} />}</Show>
      <span>{props.children}</span>
    </a>
  );
}
