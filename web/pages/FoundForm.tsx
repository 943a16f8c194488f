import { createSignal, type JSX, Match, onMount, Show, Switch } from "solid-js";
import { API_PATH } from "../../core/api/page-routes.ts";
import { useI18n } from "../i18n/index.tsx";
import { createOnline } from "../state/browser.ts";
import { Button, Field, Notice } from "../ui/Controls.tsx";
import "../ui/found.css";

/** A finder says where the bag is. One field is enough, and finders stay anonymous. */
export function FoundForm(props: { readonly device: string }): JSX.Element {
  const { t } = useI18n();
  const online = createOnline();
  const form = createFoundForm(props.device);
  return (
    <section class="card found" aria-labelledby="found">
      <Switch>
        <Match when={form.reported() === "received"}>
          <Thanks />
        </Match>
        <Match when={true}>
          <Heading>{t("passenger.found.title")}</Heading>
          <p class="soft">{t("passenger.found.lead")}</p>
          <form class="stack" noValidate onSubmit={(event) => void form.submit(event)}>
            <Fields form={form} />
            <div role="alert" class="alert-slot">
              <Problem form={form} online={online()} />
            </div>
            <Button type="submit" kind="primary" wide busy={form.sending() || !online()}>
              {t(form.sending() ? "passenger.found.sending" : "passenger.found.send")}
            </Button>
          </form>
        </Match>
      </Switch>
    </section>
  );
}

type FoundFormState = ReturnType<typeof createFoundForm>;

function createFoundForm(device: string) {
  const [typed, setTyped] = createSignal({ airport: "", desk: "", words: "" });
  const [place, setPlace] = createSignal<Place>();
  const [locating, setLocating] = createSignal<"asking" | "refused">();
  const [asked, setAsked] = createSignal(false);
  const [sending, setSending] = createSignal(false);
  const [reported, setReported] = createSignal<Reported>();
  const airport = () => typed().airport.trim().toUpperCase();
  const isAirportWrong = () => airport() !== "" && !/^[A-Z]{3}$/.test(airport());
  const isEmpty = () => place() === undefined && Object.values(typed()).every((text) => text.trim() === "");
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    // What is wrong is above the button, and must not lie under it.
    if (event.currentTarget instanceof HTMLFormElement)
      event.currentTarget.querySelector("[role='alert']")?.scrollIntoView?.({ block: "nearest" });
    if (sending() || !navigator.onLine || isEmpty() || isAirportWrong()) return;
    setSending(true);
    const [desk, words, position] = [typed().desk.trim(), typed().words.trim(), place()];
    const report = {
      ...(airport() && { airport: airport() }),
      ...(desk && { desk }),
      ...(words && { words }),
    };
    setReported(await reportFound(device, { ...report, ...(position && { position }) }));
    setSending(false);
  };
  /** Adds the position on a touch, and removes it on another. */
  const locate = async () => {
    if (place() !== undefined) return void setPlace(undefined);
    setLocating("asking");
    const here = await placeHere();
    setPlace(here);
    setLocating(here ? undefined : "refused");
  };
  const field = (name: "airport" | "desk" | "words") => ({
    name: `found-${name}`,
    value: typed()[name],
    onInput: (value: string) => void setTyped((now) => ({ ...now, [name]: value })),
  });
  return {
    ...{ field, place, locating, locate, sending, reported, submit },
    isAirportWrong: () => asked() && isAirportWrong(),
    isMissing: () => asked() && isEmpty(),
  };
}

function Fields({ form }: { readonly form: FoundFormState }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <div class="found-pair">
        <Field
          {...form.field("airport")}
          label={t("passenger.found.airport")}
          hint={t("passenger.found.airportHint")}
          error={form.isAirportWrong() ? t("passenger.found.airportWrong") : undefined}
          maxLength={32}
          upper
          code
        />
        <Field {...form.field("desk")} label={t("passenger.found.desk")} maxLength={32} prose />
      </div>
      <Field
        {...form.field("words")}
        label={t("passenger.found.words")}
        hint={t("passenger.found.wordsHint")}
        maxLength={200}
        prose
      />
      <Button wide busy={form.locating() === "asking"} onClick={() => void form.locate()}>
        <Show
          when={form.place()}
          fallback={t(form.locating() === "asking" ? "passenger.found.locating" : "passenger.found.locate")}
        >
          {t("passenger.found.locateNot")}
        </Show>
      </Button>
      <p class="soft small" role="status">
        <Show when={form.place()}>{(place) => t("passenger.found.located", place().accuracyMetres)}</Show>
        <Show when={form.locating() === "refused"}>{t("passenger.found.locateFailed")}</Show>
      </p>
    </>
  );
}

function Problem(props: { readonly form: FoundFormState; readonly online: boolean }): JSX.Element {
  const { t } = useI18n();
  return (
    <Switch>
      <Match when={!props.online}>
        <Notice tone="warn" title={t("passenger.found.offline")} />
      </Match>
      <Match when={props.form.isMissing()}>
        <Notice tone="warn" title={t("passenger.found.missing")} />
      </Match>
      <Match when={!props.form.sending() && props.form.reported() === "tooMany"}>
        <Notice tone="warn" title={t("passenger.found.tooMany")} />
      </Match>
      <Match when={!props.form.sending() && props.form.reported() === "failed"}>
        <Notice tone="bad" title={t("passenger.found.failed")} />
      </Match>
    </Switch>
  );
}

function Thanks(): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <Heading>{t("passenger.found.doneTitle")}</Heading>
      <p>{t("passenger.found.done")}</p>
      <p class="soft">{t("passenger.found.doneNext")}</p>
    </>
  );
}

/** Takes the focus when it appears: the touched button is gone. */
function Heading(props: { readonly children: JSX.Element }): JSX.Element {
  let heading!: HTMLHeadingElement;
  onMount(() => queueMicrotask(() => heading.focus()));
  return (
    <h2 id="found" ref={heading} tabindex="-1">
      {props.children}
    </h2>
  );
}

/** A finder's report (rules §5, "Found"); empty fields are left out. */
export interface FoundReport {
  readonly airport?: string;
  readonly desk?: string;
  readonly words?: string;
  readonly position?: Place;
}

/** Where the device says it is. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
  readonly accuracyMetres: number;
}

export type Reported = "received" | "tooMany" | "failed";

const TIMEOUT = 10_000;

/** Sent without key, session or proof: finders stay anonymous. */
export async function reportFound(uniqueDeviceId: string, report: FoundReport): Promise<Reported> {
  try {
    const { ok, status } = await fetch(`${API_PATH}/found-reports`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ uniqueDeviceId, ...report }),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (ok) return "received";
    return status === 429 ? "tooMany" : "failed";
  } catch {
    // Not reached, or not in time: the finder can try again.
    return "failed";
  }
}

/** Asks the browser for permission, then for the position; undefined if either fails. */
const placeHere = (): Promise<Place | undefined> =>
  new Promise((resolve) => {
    const take = ({ coords }: GeolocationPosition) =>
      resolve({
        latitude: rounded(coords.latitude),
        longitude: rounded(coords.longitude),
        accuracyMetres: Math.ceil(coords.accuracy),
      });
    if (!("geolocation" in navigator)) resolve(undefined);
    else navigator.geolocation.getCurrentPosition(take, () => resolve(undefined), { timeout: 15_000 });
  });

/** To a metre: no device knows more. */
const rounded = (degrees: number) => Math.round(degrees * 100_000) / 100_000;
