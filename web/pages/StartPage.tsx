import { useNavigate } from "@solidjs/router";
import { type Accessor, createSignal, type JSX, lazy, onCleanup, Show, Suspense } from "solid-js";
import { useI18n } from "../i18n/index.tsx";
import { BookingFields, bookingWords } from "../job/BookingFields.tsx";
import { createBookingForm } from "../job/create-booking-form.ts";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { Page } from "./Page.tsx";
import { cannotReachTags, WithoutBluetoothIfSo } from "./WithoutBluetoothIfSo.tsx";

const KeptJourneyCard = lazy(async () => ({
  default: (await import("./KeptJourneyCard.tsx")).KeptJourneyCard,
}));
const HeroTag = lazy(async () => ({ default: (await import("../job/HeroTag.tsx")).HeroTag }));

/** Finds a journey by record locator and surname. */
export function StartPage(): JSX.Element {
  const { t } = useI18n();
  const { keeping } = useAppState();
  // Decoration: neither loaded nor drawn where a phone needs the room.
  const roomy = createMatches("(min-width: 60rem)");
  return (
    <Page
      split={roomy()}
      title={t("start.title")}
      lead={cannotReachTags() ? undefined : t("start.lead")}
      mark={
        <Show when={roomy()}>
          <Suspense fallback={<div class="hero-tag" />}>
            <HeroTag />
          </Suspense>
        </Show>
      }
    >
      <div class="start-ways">
        <WithoutBluetoothIfSo />
        <Show when={keeping.kept()}>
          {(kept) => (
            <Suspense>
              <KeptJourneyCard kept={kept()} />
            </Suspense>
          )}
        </Show>
        <JourneyForm />
      </div>
      <aside class="aside">
        <h2 class="aside-title">{t("start.clearTitle")}</h2>
        <p class="soft">{t("start.clearBody")}</p>
        <div>
          <ButtonLink href="/clear">{t("start.clearAction")}</ButtonLink>
        </div>
      </aside>
    </Page>
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
  const { journeys, prepare, keeping } = useAppState();
  const navigate = useNavigate();
  const form = createBookingForm();
  const request = createRequest();

  const search = (booking: { readonly recordLocator: string; readonly surname: string }) =>
    request.send(
      () => journeys.find(booking.recordLocator, booking.surname),
      ({ journeyId }) => navigate(`/journeys/${journeyId}`),
    );

  /** If locator and surname were copied together, from a booking or a chat, each goes into its own field. */
  const paste = (event: ClipboardEvent) => {
    const both = /^\s*([a-z0-9]{5,8})[\s,;/]+(\p{L}[\p{L}\s'’-]*?)\s*$/iu.exec(
      event.clipboardData?.getData("text") ?? "",
    );
    if (event.target !== form.fields.recordLocator || !both) return;
    event.preventDefault();
    form.setRecordLocator(both[1] ?? "");
    form.setSurname(both[2] ?? "");
    form.fields.surname?.focus();
  };

  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const booking = form.complete();
    if (booking !== undefined && !request.working()) void search(booking);
  };

  return (
    <form class="card" noValidate onSubmit={submit} onFocusIn={prepare} onPaste={paste}>
      <ButtonLink href="/scan" wide icon="scan">
        {t("start.scan")}
      </ButtonLink>
      <p class="start-or">{t("start.scanOr")}</p>
      <BookingFields form={form} words={bookingWords(t)} />
      <div role="alert" class="alert-slot">
        <Show when={request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </div>
      {/* If a journey is kept, finding another one comes second. */}
      <Button type="submit" kind={keeping.kept() ? "secondary" : "primary"} wide busy={request.working()}>
        {request.working() ? t("start.finding") : t("start.find")}
      </Button>
    </form>
  );
}
