import { type JSX, Show } from "solid-js";
import { type AirlineRequiredError, ServiceError, type TaglatchError } from "../../sdk/index.ts";
import { type I18n, useI18n } from "../i18n/index.tsx";
import { lackingBrowser } from "../state/browser.ts";
import { NotLoadedError } from "../state/create-request.ts";
import { Button, Notice } from "../ui/Controls.tsx";

interface ErrorPanelProps {
  readonly error: TaglatchError;
  readonly actions?: JSX.Element;
  /** The page's heading says what happened ({@link headingOf}). */
  readonly headed?: boolean | undefined;
  /** What to do next, if this screen knows better than the error. */
  readonly next?: string | undefined;
  /** No support code: the screen has it elsewhere, has little room, or the person can correct the error. */
  readonly compact?: boolean | undefined;
  /** After failed writes: the way out that always works. */
  readonly paper?: boolean;
  /** More about what to do next. */
  readonly children?: JSX.Element;
  /** Chooses the airline, where several have this booking. */
  readonly onAirline?: (airline: string) => unknown;
}

/** One sentence, one next step; a code for support on demand. Never the exception's own text. */
export function ErrorPanel(props: ErrorPanelProps): JSX.Element {
  const { t } = useI18n();
  const airlines = () => (props.error as Partial<AirlineRequiredError>).airlines;
  const choice = (airline: string) => <Button onClick={() => props.onAirline?.(airline)}>{airline}</Button>;
  const reload = () =>
    props.error instanceof NotLoadedError ? (
      <Button onClick={() => location.reload()}>{t("journey.reload")}</Button>
    ) : undefined;
  return (
    <Notice
      tone={airlines() ? "plain" : "bad"}
      title={props.headed ? undefined : t(`errors.${props.error.code}.what`)}
      actions={airlines()?.map(choice) ?? reload() ?? props.actions}
    >
      <p>{props.next ?? nextOf(props.error, t)}</p>
      {props.children}
      <Show when={props.paper}>
        <p class="error-paper">{t("error.paper")}</p>
      </Show>
      <Show when={!(props.compact || airlines())}>
        <details class="details">
          <summary>{t("job.details")}</summary>
          <SupportCode error={props.error} />
        </details>
      </Show>
    </Notice>
  );
}

/** Where an error comes and goes: announced as it comes. */
export function ErrorSlot(
  props: Omit<ErrorPanelProps, "error"> & { readonly error: TaglatchError | undefined },
): JSX.Element {
  return (
    <div role="alert" class="alert-slot">
      <Show when={props.error}>{(error) => <ErrorPanel {...props} error={error()} />}</Show>
    </div>
  );
}

export function SupportCode(props: { readonly error: TaglatchError }): JSX.Element {
  const { t } = useI18n();
  return (
    <p class="error-code">
      {t("error.code")}: <span class="code">{breakable(supportCode(props.error))}</span>
    </p>
  );
}

/** What support needs to find the case: the typed code, and the request if there was one. */
function supportCode(error: TaglatchError): string {
  const { code, requestId } = error as Pick<TaglatchError, "code"> & Partial<ServiceError>;
  return [code, requestId?.slice(0, 8)].join(" ").trim();
}

/** A code longer than its line breaks between its words. */
const breakable = (code: string): JSX.Element =>
  code.split(/(?<=_)/).map((part) => (
    <>
      {part}
      <wbr />
    </>
  ));

/** What happened, as the heading of a page: without its full stop. */
export const headingOf = (error: TaglatchError, t: I18n["t"]): string =>
  t(`errors.${error.code}.what`).replace(/[.。]$/u, "");

/** The one thing to do next: shown, and spoken. */
export function nextOf(error: TaglatchError, t: I18n["t"]): string {
  const lacking = error.code === "unsupported" ? lackingBrowser(navigator) : undefined;
  if (lacking) return t(`passenger.unsupported.${lacking}`);
  const seconds = error instanceof ServiceError ? error.retryAfter : undefined;
  const waits = error.code === "too_many_attempts" || error.code === "too_many_requests";
  if (waits && seconds !== undefined) return t("error.waitMinutes", Math.ceil(seconds / 60));
  return t(`errors.${error.code}.next`);
}
