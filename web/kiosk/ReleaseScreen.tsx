import { createSignal, type JSX, Match, onMount, Show, Switch } from "solid-js";
import type { EbtLockLookupResponse, FlightDates } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { OutcomeMark } from "../job/JobParts.tsx";
import { LockHints } from "../job/ProofDialog.tsx";
import { Button } from "../ui/Button.tsx";
import { Fact } from "../ui/FlightLine.tsx";
import { Notice } from "../ui/Notice.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { createRelease, REASONS, type Reason, type Release } from "./release.ts";
import { Choices, Screen, ToJourney } from "./Screen.tsx";
import { StaffDialog } from "./StaffDialog.tsx";

/** Staff open the lock of a tag if its passenger cannot be asked: they confirm which tag, and why. */
export function ReleaseScreen(): JSX.Element {
  const { t } = useI18n();
  const { load, releasing, shift } = useKiosk();
  const release = createRelease({ load, signIn: shift.prove });
  const state = release.state;
  onMount(() => {
    const known = releasing();
    if (known) release.take(known);
  });
  const isDone = () => state() === "done";
  return (
    <Screen
      title={t(isDone() ? "kiosk.release.doneTitle" : "kiosk.release.title")}
      lead={isDone() ? undefined : t("kiosk.release.lead")}
      mark={isDone() ? <OutcomeMark pending={false} /> : undefined}
      centred={isDone()}
      narrow={state() !== "asking"}
    >
      <Switch fallback={<Pick release={release} />}>
        <Match when={state() === "picking" || state() === "looking"}>
          <p class="page-lead" role="status">
            {t(state() === "picking" ? "kiosk.release.choosing" : "app.loading")}
          </p>
        </Match>
        <Match when={state() === "asking"}>
          <Confirm release={release} />
        </Match>
        <Match when={isDone()}>
          <Done release={release} />
        </Match>
      </Switch>
    </Screen>
  );
}

function Pick(props: { readonly release: Release }): JSX.Element {
  const { t } = useI18n();
  return (
    <>
      <ErrorSlot error={props.release.error()} />
      <Show when={props.release.state() === "free"}>
        <Notice tone="good" title={t("job.device", props.release.tag()?.name ?? "")}>
          <p>{t("kiosk.release.free")}</p>
        </Notice>
      </Show>
      <Button kind="primary" wide onClick={props.release.pick}>
        {t("kiosk.release.choose")}
      </Button>
      <ToJourney />
    </>
  );
}

function Confirm(props: { readonly release: Release }): JSX.Element {
  const { t } = useI18n();
  const [reason, setReason] = createSignal<Reason>();
  const [asked, setAsked] = createSignal(false);
  const gate = () => props.release.gate;
  const name = () => props.release.tag()?.name ?? "";
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setAsked(true);
    const chosen = reason();
    if (chosen) props.release.open(chosen);
  };
  return (
    <>
      <form class="card" noValidate onSubmit={submit}>
        <h2 class="kiosk-bag-title">{t("job.device", name())}</h2>
        <Show when={props.release.lock()?.hints}>
          {(hints) => (
            <LockHints hints={hints()}>
              <ForStaff {...props.release.lock()} />
            </LockHints>
          )}
        </Show>
        <Choices
          legend={t("kiosk.release.reason")}
          values={REASONS}
          labelOf={(value) => t(`kiosk.release.reasons.${value}`)}
          value={reason()}
          onChange={setReason}
          error={asked() && reason() === undefined ? t("kiosk.release.reasonMissing") : undefined}
        />
        <ErrorSlot error={gate().asking() === undefined ? gate().error() : undefined} />
        <Button type="submit" kind="primary" wide icon="lock" busy={gate().working()}>
          {t(gate().working() ? "kiosk.release.working" : "kiosk.release.confirm")}
        </Button>
      </form>
      <ToJourney />
      <Show when={gate().asking()}>
        {(asking) => (
          <StaffDialog gate={gate()} asking={asking()} title={t("passenger.proof.title", name())} />
        )}
      </Show>
    </>
  );
}

/** What opening the lock would do: whether the journey is over, by today's date, and whether its bag would be on no tag. */
function ForStaff(props: Pick<EbtLockLookupResponse, "flightDates" | "bagOnOtherTag">): JSX.Element {
  const { t, day } = useI18n();
  const days = ({ first, last }: FlightDates) => [...new Set([first, last])].map(day).join(" – ");
  return (
    <dl class="facts">
      <Fact name={t("kiosk.release.days")}>
        {props.flightDates ? days(props.flightDates) : t("kiosk.release.daysUnknown")}
      </Fact>
      {/* Swedish dates are ISO 8601. */}
      <Fact name={t("kiosk.release.today")}>{day(new Date().toLocaleDateString("sv"))}</Fact>
      <Show when={props.bagOnOtherTag !== undefined}>
        <Fact name={t("kiosk.release.bag")}>
          {t(props.bagOnOtherTag ? "kiosk.release.otherTag" : "kiosk.release.noOtherTag")}
        </Fact>
      </Show>
    </dl>
  );
}

function Done(props: { readonly release: Release }): JSX.Element {
  const { t } = useI18n();
  const { visit, putOn, clear } = useKiosk();
  return (
    <div class="kiosk-choices">
      <p class="page-lead">{t("kiosk.release.done", props.release.tag()?.name ?? "")}</p>
      <Show when={visit.bag()}>
        <Button kind="primary" wide onClick={() => putOn(props.release.tag())}>
          {t("kiosk.release.write")}
        </Button>
      </Show>
      <Button
        kind={visit.bag() ? "secondary" : "primary"}
        wide
        onClick={() => clear(props.release.tag()?.uniqueDeviceId, props.release.tag())}
      >
        {t("kiosk.release.clear")}
      </Button>
      <ToJourney />
    </div>
  );
}
