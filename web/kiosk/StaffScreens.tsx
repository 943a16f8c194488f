import { createSignal, For, type JSX, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { OutboxEntry } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { UnresolvedCommits } from "../job/UnresolvedCommits.tsx";
import { waiting } from "../state/create-outbox.ts";
import { createRequest } from "../state/create-request.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import type { FlowEvent } from "./flow.ts";
import { createInactivityTimer, QUIET } from "./idle.ts";
import { Keyboard } from "./Keyboard.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";
import { AccountFields, createStaffForm, StaffDialog } from "./StaffDialog.tsx";
import { createShiftGate, type StaffGate } from "./staff.ts";

/** What staff do besides serving passengers. */
export function StaffMenu(props: { readonly onClose: () => void }): JSX.Element {
  const { t } = useI18n();
  const { load, shift, send } = useKiosk();
  const [purpose, setPurpose] = createSignal<Purpose>("end_of_shift");
  const gate = createShiftGate({ load, signIn: shift.prove });
  const begin = (next: Purpose) => {
    setPurpose(next);
    void gate.begin(
      async (client, staff, options) =>
        staff ? client.staff.check(staff, next, options) : { ok: true, value: undefined },
      () => {
        if (next === "end_of_shift") return void shift.end();
        props.onClose();
        send("trace");
      },
    );
  };
  const close = () => {
    shift.stay();
    props.onClose();
  };
  // Must not stay open for the next person.
  createInactivityTimer(QUIET, close);
  return (
    <Show
      when={gate.asking()}
      fallback={
        <Menu gate={gate} begin={begin} purpose={purpose()} onLeave={props.onClose} onClose={close} />
      }
    >
      {(asking) => <StaffDialog gate={gate} asking={asking()} title={t(TITLES[purpose()])} />}
    </Show>
  );
}

/** Actions for staff alone: end the shift, read finders' reports. */
type Purpose = "end_of_shift" | "tracing";
const TITLES = { end_of_shift: "kiosk.staff.endShift", tracing: "kiosk.tracing.title" } as const;

interface MenuProps {
  readonly gate: StaffGate;
  readonly begin: (purpose: Purpose) => void;
  readonly purpose: Purpose;
  /** For another screen. */
  readonly onLeave: () => void;
  readonly onClose: () => void;
}

function Menu(props: MenuProps): JSX.Element {
  const { t } = useI18n();
  const { shift, send } = useKiosk();
  const go = (event: FlowEvent) => {
    props.onLeave();
    send(event);
  };
  const ending = () =>
    (props.gate.working() && props.purpose === "end_of_shift") || shift.state() === "ending";
  return (
    <Dialog title={t("kiosk.attract.staff")} onCancel={props.onClose}>
      <Show when={shift.state() !== "waiting"} fallback={<QueueWaits />}>
        <p class="soft">{t("kiosk.staff.lead")}</p>
        <div class="kiosk-choices">
          <Button wide autofocus onClick={() => go("queue")}>
            {t("kiosk.staff.queue")}
          </Button>
          <Button wide onClick={() => go("release")}>
            {t("kiosk.release.title")}
          </Button>
          <Button wide busy={props.gate.working()} onClick={() => props.begin("tracing")}>
            {t("kiosk.tracing.title")}
          </Button>
          <FullScreen />
          <ButtonLink wide href="/kiosk/setup">
            {t("kiosk.setup.title")}
          </ButtonLink>
          <Button wide busy={ending()} onClick={() => props.begin("end_of_shift")}>
            {t(ending() ? "kiosk.staff.ending" : "kiosk.staff.endShift")}
          </Button>
        </div>
      </Show>
      <ErrorSlot error={props.gate.error() ?? shift.error()} />
      <Button kind="quiet" wide onClick={props.onClose}>
        {t("app.close")}
      </Button>
    </Dialog>
  );
}

/** The shift cannot simply end: tags wait, and the next shift will confirm them. */
function QueueWaits(): JSX.Element {
  const { t } = useI18n();
  const { shift } = useKiosk();
  return (
    <div class="kiosk-choices">
      <h3>{t("kiosk.staff.waitingTitle")}</h3>
      <p>{t("kiosk.staff.waitingBody")}</p>
      <Button kind="primary" wide onClick={() => void shift.end(true)}>
        {t("kiosk.staff.endAnyway")}
      </Button>
    </div>
  );
}

function FullScreen(): JSX.Element {
  const { t } = useI18n();
  const [full, setFull] = createSignal(document.fullscreenElement !== null);
  const toggle = async () => {
    try {
      if (full()) await document.exitFullscreen();
      else await document.documentElement.requestFullscreen({ navigationUI: "hide" });
      setFull(document.fullscreenElement !== null);
    } catch {
      // In Chrome's kiosk mode the page has the whole screen already.
    }
  };
  return (
    <Button wide onClick={() => void toggle()}>
      {t(full() ? "kiosk.staff.leaveFullScreen" : "kiosk.staff.fullScreen")}
    </Button>
  );
}

/** User name and password, once per shift. */
export function SignInScreen(): JSX.Element {
  const { t } = useI18n();
  const { shift, outbox } = useKiosk();
  const busy = () => shift.state() === "signingIn";
  const form = createStaffForm({
    working: busy,
    answer: ({ name, secret }) => shift.signIn(name, secret),
  });
  return (
    <Screen title={t("kiosk.signIn.title")} lead={t("kiosk.signIn.lead")}>
      <form class="card kiosk-typing" noValidate onSubmit={(event) => void form.submit(event)}>
        <AccountFields form={form} />
        <ErrorSlot error={shift.error()} />
        <Button type="submit" kind="primary" wide busy={busy()}>
          {busy() ? t("kiosk.signIn.working") : t("kiosk.signIn.submit")}
        </Button>
        <Keyboard first="abc" />
      </form>
      <Show when={outbox.entries().length > 0}>
        <p class="soft">{t("kiosk.signIn.waiting", outbox.entries().length)}</p>
      </Show>
      <ButtonLink kind="quiet" href="/kiosk/setup">
        {t("kiosk.setup.title")}
      </ButtonLink>
    </Screen>
  );
}

/** What waits for the service: tags and bag numbers, no names. */
export function QueueScreen(): JSX.Element {
  const { t } = useI18n();
  const { outbox } = useKiosk();
  const { working, send } = createRequest();
  const retry = async () => {
    // What fails stays in the queue, which shows it.
    if (!working()) await send(async () => ({ ok: true, value: await outbox.flush() }));
  };
  return (
    <Screen
      title={t("kiosk.queue.title")}
      lead={waiting(outbox.entries()).length > 0 ? t("kiosk.queue.lead") : undefined}
      narrow
    >
      <Show when={outbox.dropped()}>
        {(dropped) => (
          <Notice
            tone="bad"
            title={t("outbox.dropped")}
            actions={<Button onClick={outbox.dismiss}>{t("outbox.dismiss")}</Button>}
          >
            <p>{t(`errors.${dropped().error.code}.what`)}</p>
          </Notice>
        )}
      </Show>
      <UnresolvedCommits unresolved={outbox.unresolved} />
      <Show
        when={waiting(outbox.entries()).length > 0}
        fallback={<Notice tone="good" title={t("kiosk.queue.empty")} />}
      >
        <ul class="queue">
          <For each={waiting(outbox.entries())}>{(entry) => <Entry entry={entry} />}</For>
        </ul>
        <Button kind="primary" wide busy={working()} onClick={() => void retry()}>
          {t(working() ? "outbox.confirming" : "outbox.retry")}
        </Button>
      </Show>
    </Screen>
  );
}

function Entry(props: { readonly entry: OutboxEntry }): JSX.Element {
  const { t, dateTime } = useI18n();
  const what = () => {
    const { kind, baggageId } = props.entry;
    return kind === "unlock" ? t("kiosk.queue.unlock") : t("kiosk.queue.attach", String(baggageId));
  };
  return (
    <li class="queue-entry">
      <span class="queue-tag code">{tagName(props.entry.uniqueDeviceId)}</span>
      <span>{what()}</span>
      <span class="soft">{t("kiosk.queue.since", dateTime(props.entry.createdAt))}</span>
      <span class="soft">{t("kiosk.queue.tries", props.entry.tries)}</span>
    </li>
  );
}
