import { useLocation, useNavigate, useParams } from "@solidjs/router";
import { createEffect, createSignal, type JSX, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import { forDelegates } from "../../core/bag/passenger-name.ts";
import type { Delegation, DelegationCode, Journey } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { destinationOf, previewOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import type { Bag } from "../state/bags.ts";
import { cannotReachTags } from "../state/browser.ts";
import { createRequest, type Request } from "../state/create-request.ts";
import { createDelegations, createHolderDelegation } from "../state/delegations.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { QrImage } from "../ui/QrImage.tsx";
import { TagDrawing } from "../ui/TagDrawing.tsx";
import { MissingBluetooth, Page } from "./Page.tsx";
import { BagList } from "./TagLinks.tsx";
import "./delegate.css";

/** Both sides of a delegation: the holder's over a journey, and the delegate's where no journey is named. */
export function DelegationPage(): JSX.Element {
  const params = useParams<{ journeyId?: string }>();
  return (
    <Words part="passenger">
      <Show when={params.journeyId} fallback={<DelegateDelegation />}>
        {(journeyId) => <HolderDelegation journeyId={journeyId()} />}
      </Show>
    </Words>
  );
}

/** Opened by another person's code (`/with#…`). Nothing is requested before a yes, because an attacker can send a link. */
function DelegateDelegation(): JSX.Element {
  const { t } = useI18n();
  const { delegationCode, dropCode } = useAppState();
  const delegate = createDelegateDelegation();
  onCleanup(dropCode);
  const title = () => {
    if (delegate.waiting() || delegationCode()) return t("passenger.delegate.askTitle");
    return t(delegate.isEnded() ? "passenger.delegate.ended" : "passenger.delegate.noCode");
  };
  return (
    <Page title={title()} back={{ href: "/", label: t("job.toStart") }}>
      <Switch fallback={<NoDelegation isEnded={delegate.isEnded()} />}>
        <Match when={delegate.waiting()}>
          {(waiting) => (
            <ComparisonCard
              delegation={waiting()}
              request={delegate.request}
              onDecide={delegate.decide}
              agreed
            />
          )}
        </Match>
        <Match when={delegationCode()}>
          {(code) => <ClaimQuestion request={delegate.request} onYes={() => delegate.claim(code())} />}
        </Match>
      </Switch>
    </Page>
  );
}

/** The delegate's side of a delegation. */
function createDelegateDelegation() {
  const { load, delegationCode, dropCode } = useAppState();
  const { state } = useLocation<{ readonly ended?: boolean }>();
  const navigate = useNavigate();
  const request = createRequest();
  const [claimed, setClaimed] = createSignal<string>();
  const delegations = createDelegations(load);
  // Without a code: the one that waits or is active since an earlier visit.
  const isMine = ({ role, delegationId }: Delegation) =>
    role === "delegate" && (claimed() === undefined ? state?.ended !== true : delegationId === claimed());
  const waiting = () => (delegationCode() ? undefined : delegations.all()?.find(isMine));
  onMount(() => {
    // After a reload the code is gone, and the digits are not.
    if (!delegationCode()) void delegations.refresh();
  });
  createEffect(() => {
    const mine = waiting();
    // Remember its id: a delegation that was claimed before a reload is found again once it is active.
    if (mine) setClaimed(mine.delegationId);
    const [journeyId] = mine?.state === "active" ? mine.journeyIds : [];
    if (journeyId !== undefined) navigate(`/journeys/${journeyId}`, { replace: true });
  });
  const decide = (confirmed: boolean) => {
    const id = waiting()?.delegationId ?? "";
    void request.send(async () => (await load()).delegations.decide(id, confirmed)).then(delegations.refresh);
  };
  // They have agreed before the claim; the holder, whose booking it is, compares the digits and decides.
  createEffect(
    on(
      () => waiting()?.state === "claimed" && waiting()?.confirmed === false,
      (isOpen) => isOpen && decide(true),
    ),
  );
  return {
    request,
    waiting,
    decide,
    isEnded: () => state?.ended === true || claimed() !== undefined,
    claim: (code: string) =>
      void request.send(
        async () => (await load()).delegations.claim(code),
        async ({ delegationId }) => {
          setClaimed(delegationId);
          await delegations.refresh();
          dropCode();
        },
      ),
  };
}

function ClaimQuestion(props: { readonly request: Request; readonly onYes: () => void }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <MissingBluetooth to="delegate" />
      <p class="page-lead">{t("passenger.delegate.ask")}</p>
      <ErrorSlot error={props.request.error()} />
      <Show when={!cannotReachTags() && props.request.error()?.code !== "delegation_ended"}>
        <Button kind="primary" wide busy={props.request.working()} onClick={props.onYes}>
          {t("passenger.delegate.askYes")}
        </Button>
      </Show>
      <ButtonLink href="/" kind="quiet" wide>
        {t("passenger.delegate.no")}
      </ButtonLink>
    </>
  );
}

function NoDelegation(props: { readonly isEnded: boolean }): JSX.Element {
  const { t } = useI18n();
  return (
    <p class="page-lead" role="status">
      {t(props.isEnded ? "passenger.delegate.endedHere" : "passenger.delegate.noCodeNext")}
    </p>
  );
}

/** The digits that two people compare, spoken one by one. The holder confirms them; either of both can stop. */
function ComparisonCard(props: {
  readonly delegation: Pick<Delegation, "comparison" | "confirmed">;
  readonly request: Request;
  readonly onDecide: (confirmed: boolean) => void;
  /** The person agreed before: what is left is to look at the digits. */
  readonly agreed?: boolean;
}): JSX.Element {
  const { t } = useI18n();
  const digits = () => props.delegation.comparison ?? "";
  return (
    <section class="card" aria-labelledby="same">
      <h2 id="same">{t("passenger.delegate.compare")}</h2>
      <p role="status">
        <span class="delegate-digits" aria-hidden="true" dir="ltr">
          {digits()}
        </span>
        <span class="sr-only">{[...digits()].join(", ")}</span>
      </p>
      <p class="soft">{t("passenger.delegate.compareBody")}</p>
      <ErrorSlot error={props.request.error()} />
      <Show
        when={!(props.agreed || props.delegation.confirmed)}
        fallback={<p role="status">{t("passenger.delegate.waiting")}</p>}
      >
        <Button kind="primary" wide busy={props.request.working()} onClick={() => props.onDecide(true)}>
          {t("passenger.delegate.yes")}
        </Button>
      </Show>
      <Button kind="quiet" wide onClick={() => props.onDecide(false)}>
        {t("passenger.delegate.no")}
      </Button>
    </section>
  );
}

/** Another person's phone writes this journey's tags: the holder's side, from the code to the tag that is ready. */
function HolderDelegation(props: { readonly journeyId: string }): JSX.Element {
  const { t } = useI18n();
  const { journeyId } = props;
  const { journeys } = useAppState();
  const state = createHolderDelegation(journeyId);
  const { step, code, now, request, make, decide } = state;
  // The tap that led here asks for the code. After one that has ended, another is asked for.
  createEffect(on(step, (first) => first === "idle" && make()));
  const title = () => {
    if (state.ready()) return t("passenger.delegate.ready");
    return t(step() === "active" ? "passenger.delegate.active" : "passenger.delegate.action");
  };
  return (
    <Page title={title()} back={{ href: `/journeys/${journeyId}`, label: t("job.toJourney") }}>
      <Switch>
        <Match when={step() === "active" && journeys.known(journeyId)}>
          {(journey) => <Watching journey={journey()} ready={state.ready()} onEnd={() => decide(false)} />}
        </Match>
        <Match when={step() === "claimed" && now()}>
          {(delegation) => <ComparisonCard delegation={delegation()} request={request} onDecide={decide} />}
        </Match>
        <Match when={step() === "open" && code()}>{(shown) => <Code shown={shown()} />}</Match>
        <Match when={step() === "idle" || step() === "gone" || step() === "ended"}>
          <div role="status" class="alert-slot">
            <Show when={step() === "gone"}>
              <Notice tone="warn" title={t("passenger.delegate.gone")}>
                <p>{t("passenger.delegate.goneNext")}</p>
              </Notice>
            </Show>
            <Show when={step() === "ended"}>
              <Notice tone="good" title={t("passenger.delegate.ended")}>
                <p>{t("passenger.delegate.endedNext")}</p>
              </Notice>
            </Show>
          </div>
          <ErrorSlot error={request.error()} />
          <Button kind="primary" wide busy={request.working()} onClick={make}>
            {t(request.working() ? "app.loading" : "passenger.delegate.show")}
          </Button>
        </Match>
      </Switch>
    </Page>
  );
}

/** The code for the other phone's camera, or as a link. */
function Code(props: { readonly shown: DelegationCode }): JSX.Element {
  const { t } = useI18n();
  const address = () => `${location.origin}/with#${props.shown.code}`;
  const [left, setLeft] = createSignal(leftOf(props.shown));
  const timer = setInterval(() => setLeft(leftOf(props.shown)), 1_000);
  onCleanup(() => clearInterval(timer));
  const send = () => void navigator.share({ url: address() }).catch(() => undefined);
  return (
    <section class="card" aria-labelledby="code">
      <h2 id="code">{t("passenger.delegate.scan")}</h2>
      <QrImage text={address()} label={t("passenger.delegate.code")} />
      <p class="small">{t("passenger.delegate.lead")}</p>
      <p class="soft" role="timer">
        {t("passenger.delegate.left", left())}
      </p>
      <Show
        when={typeof navigator.share === "function"}
        fallback={
          <p class="code small delegate-link" dir="ltr">
            {address()}
          </p>
        }
      >
        <Button wide onClick={send}>
          {t("passenger.delegate.send")}
        </Button>
      </Show>
    </section>
  );
}

/** Minutes and seconds, as `9:59`. */
function leftOf({ expiresAt }: DelegationCode): string {
  const seconds = Math.max(0, Math.round((Date.parse(expiresAt) - Date.now()) / 1_000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** The job's state at the service: which bag is on which tag. */
function Watching(props: {
  readonly journey: Journey;
  readonly ready: Bag | undefined;
  readonly onEnd: () => void;
}): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <div role="status">
        <Show when={props.ready} fallback={<p class="page-lead">{t("passenger.delegate.activeBody")}</p>}>
          {(bag) => <Ready journey={props.journey} bag={bag()} />}
        </Show>
      </div>
      <section class="card" aria-labelledby="bags">
        <h2 id="bags">{t("journey.bags", props.journey.baggage.length)}</h2>
        <BagList journey={props.journey} />
      </section>
      <Show when={props.ready}>
        <ButtonLink href={`/journeys/${props.journey.journeyId}`} kind="primary" wide>
          {t("job.toJourney")}
        </ButtonLink>
      </Show>
      <Button wide onClick={props.onEnd}>
        {t("passenger.delegate.end")}
      </Button>
    </>
  );
}

/** The tag as the other phone has written it. */
function Ready(props: { readonly journey: Journey; readonly bag: Bag }): JSX.Element {
  const { t, locale } = useI18n();
  const written = () => ({ ...props.journey, passenger: forDelegates(props.journey.passenger) });
  return (
    <TagDrawing
      face={previewOf(written(), props.bag)}
      label={t("bag.drawing", destinationOf(props.journey, locale()), props.bag.licencePlate)}
    />
  );
}
