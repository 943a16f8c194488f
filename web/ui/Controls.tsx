import { createUniqueId, type JSX, Show } from "solid-js";

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

/** 24-unit outlines; each is decoration: the words beside it carry the meaning. */
const PATHS = {
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7L7 17",
  arrow: "M5 12h14M13 6l6 6-6 6",
  back: "M19 12H5M11 6l-6 6 6 6",
  info: "M12 11v6M12 7.2v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  alert: "M12 9v5M12 17.2v.1M12 3.5L2.5 20h19z",
  more: "M4.5 12h1M11.5 12h1M18.5 12h1",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9.5h-13z",
  clock: "M12 7v5l3.5 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  globe: "M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z",
  scan: "M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M8 9v6M12 9v6M16 9v6",
  tag: "M4 7.5h13l3.5 4.5L17 16.5H4zM7.5 12h.1",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon(props: { name: IconName; class?: string }): JSX.Element {
  return (
    <svg
      class={props.class ?? "icon"}
      viewBox="0 0 24 24"
      width="24"
      height="24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[props.name]} />
    </svg>
  );
}

type Tone = "plain" | "good" | "warn" | "bad";

const ICONS: Record<Tone, IconName> = { plain: "info", good: "check", warn: "alert", bad: "alert" };

interface NoticeProps {
  readonly tone?: Tone;
  readonly icon?: IconName;
  /** Absent where the page's heading says it. */
  readonly title?: string | undefined;
  readonly children?: JSX.Element;
  readonly actions?: JSX.Element;
}

/** A quiet block that says one thing and offers what to do about it. */
export function Notice(props: NoticeProps): JSX.Element {
  const tone = () => props.tone ?? "plain";
  return (
    <div class="notice" data-tone={tone()}>
      <Icon name={props.icon ?? ICONS[tone()]} class="notice-icon" />
      <Show when={props.title}>
        <p class="notice-title">{props.title}</p>
      </Show>
      <Show when={props.children}>
        <div class="notice-body">{props.children}</div>
      </Show>
      <Show when={props.actions}>
        <div class="notice-actions">{props.actions}</div>
      </Show>
    </div>
  );
}

export function Badge(props: { readonly tone?: Tone; readonly children: JSX.Element }): JSX.Element {
  return (
    <span class="badge" data-tone={props.tone}>
      {props.children}
    </span>
  );
}

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: "text" | "password";
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  /** Shows capitals, however the text is typed; the value stays as typed. */
  readonly upper?: boolean;
  /** Fixed-width letters, for codes; always left to right. */
  readonly code?: boolean;
  /** The page has keys of its own: the system's would lie over them. */
  readonly ownKeys?: boolean;
  /** Words, not a code or a name: no capitals by themselves. */
  readonly prose?: boolean;
  readonly autofocus?: boolean;
  readonly input?: (element: HTMLInputElement) => void;
}

/** One labelled text field. Paste and autofill are allowed everywhere. */
export function Field(props: FieldProps): JSX.Element {
  const id = createUniqueId();
  const described = () =>
    [props.error && `${id}-error`, props.hint && `${id}-hint`].filter(Boolean).join(" ") || undefined;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <input
        id={id}
        ref={(element) => props.input?.(element)}
        class="field-input"
        type={props.type ?? "text"}
        name={props.name}
        value={props.value}
        autocomplete={props.autocomplete ?? "off"}
        autocapitalize={props.type === "password" ? "off" : props.prose ? "sentences" : "characters"}
        spellcheck={false}
        enterkeyhint="go"
        inputmode={props.ownKeys ? "none" : undefined}
        maxLength={props.maxLength}
        dir={props.code ? "ltr" : "auto"}
        data-upper={props.upper ? "" : undefined}
        data-code={props.code ? "" : undefined}
        aria-invalid={props.error ? "true" : undefined}
        aria-describedby={described()}
        autofocus={props.autofocus}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <Show when={props.error}>
        <p class="field-error" id={`${id}-error`}>
          <Icon name="alert" />
          <span>{props.error}</span>
        </p>
      </Show>
      <Show when={props.hint}>
        <p class="field-hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      </Show>
    </div>
  );
}
