import { type JSX, Show } from "solid-js";
import { Icon, type IconName } from "./Icon.tsx";

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
