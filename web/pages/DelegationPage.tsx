import { useLocation, useNavigate, useParams } from "@solidjs/router";
import { createEffect, createSignal, type JSX, Match, on, onCleanup, onMount, Show, Switch } from "solid-js";
import type { Delegation } from "../../sdk/index.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { cannotReachTags } from "../state/browser.ts";
import { createRequest, type Request } from "../state/create-request.ts";
import { createDelegations } from "../state/delegations.ts";
import { Button, ButtonLink } from "../ui/Button.tsx";
import { ComparisonCard, HolderDelegation } from "./HolderDelegation.tsx";
import { MissingBluetooth, Page } from "./Page.tsx";

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
    ...{ request, waiting, decide },
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
