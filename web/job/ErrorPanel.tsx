import { type JSX, Show } from "solid-js";
import { ServiceError, type TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { Notice } from "../ui/Notice.tsx";
import { nextOf } from "./error-words.ts";

export interface ErrorPanelProps {
  readonly error: TaglatchError;
  readonly actions?: JSX.Element;
  /** What to do next, if this screen knows better than the error. */
  readonly next?: string | undefined;
  /** For little room and errors that the person can correct: no support code. */
  readonly compact?: boolean;
  /** After a failed write: the way out that always works. */
  readonly paper?: boolean;
  /** More about what to do next. */
  readonly children?: JSX.Element;
}

/** One sentence, one next step, a code for support. Never the exception's own text. */
export function ErrorPanel(props: ErrorPanelProps): JSX.Element {
  const { t } = useI18n();
  return (
    <Notice tone="bad" title={t(`errors.${props.error.code}.what`)} actions={props.actions}>
      <p>{props.next ?? nextOf(props.error, t)}</p>
      {props.children}
      <Show when={props.paper}>
        <p class="error-paper">{t("error.paper")}</p>
      </Show>
      <Show when={!props.compact}>
        <p class="error-code">
          {t("error.code")}: <span class="code">{breakable(supportCode(props.error))}</span>
        </p>
      </Show>
    </Notice>
  );
}

/** What support needs to find the case: the typed code, and the request if there was one. */
export function supportCode(error: TaglatchError): string {
  const request = error instanceof ServiceError ? error.requestId?.slice(0, 8) : undefined;
  return request ? `${error.code} ${request}` : error.code;
}

/** A code longer than its line breaks between its words. */
const breakable = (code: string): JSX.Element =>
  code.split(/(?<=_)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));
