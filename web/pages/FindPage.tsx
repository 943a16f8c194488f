import { useLocation, useNavigate } from "@solidjs/router";
import {
  type Accessor,
  createEffect,
  createSignal,
  type JSX,
  lazy,
  onCleanup,
  Show,
  Suspense,
  untrack,
} from "solid-js";
import type { TaglatchError } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { BookingFields, bookingWords } from "../job/BookingFields.tsx";
import { BookingHints } from "../job/BookingHints.tsx";
import { type BookingForm, createBookingForm } from "../job/create-booking-form.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { NOTHING_TYPED, type Typed, useAppState } from "../state/app-state.tsx";
import { createOnline } from "../state/create-online.ts";
import { createRequest } from "../state/create-request.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { Page } from "./Page.tsx";
import { cannotReachTags, WithoutBluetoothIfSo } from "./WithoutBluetoothIfSo.tsx";

const HeroTag = lazy(async () => ({ default: (await import("../job/HeroTag.tsx")).HeroTag }));
const JourneyFoot = lazy(async () => ({ default: (await import("./JourneyFoot.tsx")).JourneyFoot }));

/** Finds a journey by record locator and surname. `forgotten`: this device has just forgotten somebody. */
export function FindPage(props: { readonly forgotten?: boolean }): JSX.Element {
  const { t } = useI18n();
  const { keeping } = useAppState();
  const { pathname } = useLocation();
  // Decoration: neither loaded nor drawn where a phone needs the room.
  const roomy = createMatches("(min-width: 60rem)");
  return (
    <Page
      split={roomy()}
      title={t("start.title")}
      lead={cannotReachTags() ? undefined : t("start.lead")}
      back={keeping.kept() && pathname !== "/" ? { href: "/", label: t("job.toJourney") } : undefined}
      mark={
        <Show when={roomy()}>
          <Suspense fallback={<div class="hero-tag" />}>
            <HeroTag />
          </Suspense>
        </Show>
      }
    >
      <div class="start-ways">
        <div role="status" class="alert-slot">
          <Show when={props.forgotten}>
            <Notice tone="good" title={t("start.forgotten")} />
          </Show>
        </div>
        <WithoutBluetoothIfSo />
        <JourneyForm />
      </div>
      <Suspense>
        <Show when={keeping.kept()} fallback={<Clearing />}>
          <JourneyFoot />
        </Show>
      </Suspense>
    </Page>
  );
}

function Clearing(): JSX.Element {
  const { t } = useI18n();
  return (
    <aside class="aside">
      <h2 class="aside-title">{t("start.clearTitle")}</h2>
      <p class="soft">{t("start.clearBody")}</p>
      <div>
        <ButtonLink href="/clear">{t("start.clearAction")}</ButtonLink>
      </div>
    </aside>
  );
}

/** Whether a media query matches now: windows are resized, tablets turned. */
function createMatches(query: string): Accessor<boolean> {
  if (typeof matchMedia !== "function") return () => false;
  const list = matchMedia(query);
  const [matches, setMatches] = createSignal(list.matches);
  const look = () => setMatches(list.matches);
  list.addEventListener("change", look);
  onCleanup(() => list.removeEventListener("change", look));
  return matches;
}

function JourneyForm(): JSX.Element {
  const { t } = useI18n();
  const { journeys, prepare, keepTyped } = useAppState();
  const navigate = useNavigate();
  const online = createOnline();
  const form = createKeptForm();
  const request = createRequest();
  const [sought, setSought] = createSignal<Typed>(NOTHING_TYPED);
  let alert!: HTMLDivElement;
  createEffect(() => {
    if (request.error()) alert.scrollIntoView?.({ block: "nearest" });
  });

  const search = (booking: { readonly recordLocator: string; readonly surname: string }) =>
    request.send(
      () => journeys.find(booking.recordLocator, booking.surname),
      ({ journeyId }) => {
        keepTyped(NOTHING_TYPED);
        navigate(`/journeys/${journeyId}`);
      },
    );

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const booking = form.complete();
    if (booking === undefined || request.working()) return;
    setSought(booking);
    void search(booking);
  };

  return (
    <form
      class="card start-form"
      noValidate
      onSubmit={submit}
      onFocusIn={prepare}
      onPaste={createPaste(form)}
    >
      {/* Above the fields: below them it would be under the keyboard. */}
      <div role="alert" class="alert-slot" ref={alert}>
        <Show when={request.error()}>{(problem) => <NotFound error={problem()} sought={sought()} />}</Show>
      </div>
      <BookingFields form={form} words={bookingWords(t)} />
      <Show
        when={online()}
        fallback={
          <Notice icon="clock" title={t("start.offline")}>
            <p>{t("start.offlineNext")}</p>
          </Notice>
        }
      >
        <Button type="submit" kind="primary" wide busy={request.working()}>
          {request.working() ? t("start.finding") : t("start.find")}
        </Button>
        <p class="start-or">{t("start.scanOr")}</p>
        <ButtonLink href="/scan" wide icon="scan">
          {t("start.scan")}
        </ButtonLink>
      </Show>
    </form>
  );
}

/**
 * What was typed stays while somebody looks elsewhere. A session that is over is renewed with the booking that this
 * device keeps: `/find?again`.
 */
function createKeptForm(): BookingForm {
  const { keeping, typed, keepTyped } = useAppState();
  const location = useLocation();
  const form = createBookingForm(typed());
  createEffect(() => {
    const kept = location.search === "?again" ? keeping.kept()?.journey : undefined;
    if (!kept || untrack(form.recordLocator) !== "") return;
    form.setRecordLocator(kept.recordLocator);
    form.setSurname(kept.passenger.surname);
  });
  createEffect(() => keepTyped({ recordLocator: form.recordLocator(), surname: form.surname() }));
  return form;
}

function NotFound(props: { readonly error: TaglatchError; readonly sought: Typed }): JSX.Element {
  return (
    <ErrorPanel error={props.error}>
      <Show when={props.error.code === "journey_not_found"}>
        <BookingHints {...props.sought} always />
      </Show>
    </ErrorPanel>
  );
}

/** If locator and surname were copied together, from a booking or a chat, each goes into its own field. */
function createPaste(form: BookingForm) {
  return (event: ClipboardEvent) => {
    const both = /^\s*([a-z0-9]{5,8})[\s,;/]+(\p{L}[\p{L}\s'’-]*?)\s*$/iu.exec(
      event.clipboardData?.getData("text") ?? "",
    );
    if (event.target !== form.fields.recordLocator || !both) return;
    event.preventDefault();
    form.setRecordLocator(both[1] ?? "");
    form.setSurname(both[2] ?? "");
    form.fields.surname?.focus();
  };
}
