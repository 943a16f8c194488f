import { createSignal, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import type {
  EbtLockLookupResponse,
  FlightDates,
  OperationOptions,
  PickedTag,
  Result,
  Taglatch,
} from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { OutcomeMark } from "../job/JobBody.tsx";
import { LockHints } from "../job/ProofDialog.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button, Notice } from "../ui/Controls.tsx";
import { Fact } from "../ui/FlightLine.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Choices, Screen, ToJourney } from "./Screen.tsx";
import { StaffDialog } from "./StaffDialog.tsx";
import { createShiftGate, type ShiftGateOptions, type StaffAction } from "./staff.ts";
import { createTable, type EventOf } from "./table.ts";

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

/** The life of one lock that staff open: a pure table, and radio and service, which drive it. */

/** `looking`: the service is asked whether the tag is locked. `asking`: the reason, and the proof of staff. */
export const { table: RELEASE, next } = createTable({
  // A job that found a lock hands its tag over: it counts as picked.
  ready: { pick: "picking", picked: "looking" },
  picking: { picked: "looking", cancelled: "ready", failed: "failed" },
  looking: { locked: "asking", unlocked: "free", failed: "failed" },
  free: { pick: "picking" },
  asking: { opened: "done" },
  done: { pick: "picking" },
  failed: { pick: "picking" },
});
type ReleaseEvent = EventOf<typeof RELEASE>;

/** Why a lock may be opened. The key itself goes to the audit log. */
const REASONS = ["stranded", "handover", "rebooked", "fault"] as const;
type Reason = (typeof REASONS)[number];

type Release = ReturnType<typeof createRelease>;

/** Opens the lock of one tag as staff (`POST /v2/lock-releases`). */
export function createRelease(staff: ShiftGateOptions) {
  const [state, setState] = createSignal<keyof typeof RELEASE>("ready");
  const [tag, setTag] = createSignal<PickedTag>();
  const [lock, setLock] = createSignal<EbtLockLookupResponse>();
  const { error, send: ask, end } = createRequest();
  const send = (event: ReleaseEvent) => setState((now) => next(now, event));
  onCleanup(end);

  const request = async <T,>(
    call: (client: Taglatch, options: OperationOptions) => Promise<Result<T>>,
    take: (value: T) => void,
  ): Promise<void> => {
    const answered = await ask(async (signal) => call(await staff.load(), { signal }), take);
    if (answered !== "done") send(answered === "over" ? "cancelled" : "failed");
  };

  const look = (picked: PickedTag) => {
    setTag(picked);
    send("picked");
    void request(
      (client, options) => client.tags.lookUp(picked.uniqueDeviceId, options),
      (found) => {
        setLock(found);
        send(found.locked === true ? "locked" : "unlocked");
      },
    );
  };

  const gate = createShiftGate(staff);

  return {
    gate,
    state,
    tag,
    /** What the service says of the tag's lock. */
    lock,
    error,
    /** Opens the chooser: call it from a tap. */
    pick: () => {
      if (next(state(), "pick") === state()) return;
      send("pick");
      void request(pickAndLeave, look);
    },
    /** For a tag that is already known. */
    take: look,
    /** Authenticates staff, then opens the lock. */
    open: (reason: Reason) => {
      const known = tag();
      if (state() !== "asking" || known === undefined) return;
      void gate.begin(openLock(known, reason), () => void send("opened"));
    },
  };
}

const openLock =
  ({ deviceId, uniqueDeviceId }: PickedTag, reason: Reason): StaffAction =>
  async ({ tags }, staff, options) =>
    tags.release(uniqueDeviceId, reason, { ...options, deviceId, ...(staff && { staff }) });

/** Nothing is written here, so the tag is released for others at once. */
async function pickAndLeave(client: Taglatch, options: OperationOptions): Promise<Result<PickedTag>> {
  const picked = await client.pickTag(options);
  if (picked.ok) await client.disconnect(picked.value.deviceId);
  return picked;
}
