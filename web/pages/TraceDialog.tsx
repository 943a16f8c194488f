import { createSignal, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { BagTrace, BagTraceChange } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { FoundReports } from "../job/FoundReports.tsx";
import { hasPush, isSubscribed, keepWords, subscribe } from "../service-worker/news.ts";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button, Field } from "../ui/Controls.tsx";
import { Dialog } from "../ui/Dialog.tsx";

interface TraceDialogProps {
  readonly device: string;
  readonly journeyId: string;
  readonly onClose: () => void;
}

/** The trace of a bag that is lost or found, on one sheet: who found it, where it is, and its end. */
export function TraceDialog(props: TraceDialogProps): JSX.Element {
  const { t } = useI18n();
  const requests = createTrace(props);
  onMount(() => void requests.read());
  return (
    <Dialog title={t("passenger.found.traceTitle", tagName(props.device))} onCancel={props.onClose}>
      <Show when={requests.trace()} fallback={<p class="soft">{requests.error() ? "" : t("app.loading")}</p>}>
        {(trace) => (
          <>
            <Reports trace={trace()} requests={requests} />
            <NotifyPhone trace={trace()} busy={requests.working()} onChange={requests.setPush} />
            <Link trace={trace()} requests={requests} />
          </>
        )}
      </Show>
      <ErrorSlot error={requests.isLinkWrong() ? undefined : requests.error()} />
      <div class="proof-buttons">
        <Button wide onClick={props.onClose}>
          {t("app.close")}
        </Button>
        <Button wide busy={requests.working()} onClick={() => void requests.reunite()}>
          {t("passenger.lost.found")}
        </Button>
      </div>
    </Dialog>
  );
}

type Trace = ReturnType<typeof createTrace>;

function createTrace({ device, journeyId, onClose }: TraceDialogProps) {
  const { load, journeys } = useAppState();
  const { working, error, send } = createRequest();
  const [trace, setTrace] = createSignal<BagTrace>();
  const [isLinking, setLinking] = createSignal(false);
  const change = async (what: BagTraceChange) => {
    if (working()) return;
    setLinking(what.locationLink !== undefined);
    await send(async () => (await load()).tags.changeTrace(device, what), setTrace);
  };
  return {
    trace,
    working,
    error,
    /** Setting the link is the one request here that the service may refuse as malformed. */
    isLinkWrong: () => isLinking() && error()?.code === "invalid_request",
    read: () => send(async () => (await load()).tags.trace(device), setTrace),
    setLink: (locationLink: string) => change({ locationLink }),
    setPush: (pushEndpoint: string) => change({ pushEndpoint }),
    mute: async (muted: boolean) => {
      await change({ muted });
      await journeys.refresh(journeyId);
    },
    reunite: async () => {
      if (working()) return;
      await send(
        async () => (await load()).tags.markLost(device, false),
        () => {
          journeys.markLost(device, false);
          onClose();
        },
      );
    },
  };
}

function Reports(props: { readonly trace: BagTrace; readonly requests: Trace }): JSX.Element {
  const { t } = useI18n();
  const muted = () => props.trace.muted;
  return (
    <section class="stack" aria-label={t("passenger.found.reports")}>
      <Show when={props.trace.reports.length > 0} fallback={<p class="soft">{t("passenger.found.none")}</p>}>
        <FoundReports reports={props.trace.reports} desk={(desk) => t("passenger.found.atDesk", desk)} />
        <Show when={props.trace.more > 0}>
          <p class="soft small">{t("passenger.found.more", props.trace.more)}</p>
        </Show>
      </Show>
      <Show when={props.trace.reports.length > 0 || muted()}>
        <Button
          kind="quiet"
          busy={props.requests.working()}
          onClick={() => void props.requests.mute(!muted())}
        >
          {t(muted() ? "passenger.found.unmute" : "passenger.found.mute")}
        </Button>
      </Show>
    </section>
  );
}

function Link(props: { readonly trace: BagTrace; readonly requests: Trace }): JSX.Element {
  const { t, dateTime } = useI18n();
  const [typed, setTyped] = createSignal("");
  const [isMissing, setMissing] = createSignal(false);
  const opened = () => {
    const { openedBy, openedAt } = props.trace.link ?? {};
    return openedBy && openedAt
      ? t("passenger.found.linkOpened", openedBy, dateTime(Date.parse(openedAt)))
      : t("passenger.found.linkUnopened");
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const link = typed().trim();
    setMissing(link === "");
    if (link !== "") void props.requests.setLink(link);
  };
  return (
    <section class="stack" aria-labelledby="location-link">
      <h3 id="location-link">{t("passenger.found.linkTitle")}</h3>
      <Show
        when={props.trace.link}
        fallback={
          <form class="stack" noValidate onSubmit={submit}>
            <p class="soft small">{t("passenger.found.linkBody")}</p>
            <Field
              label={t("passenger.found.link")}
              name="location-link"
              value={typed()}
              onInput={setTyped}
              error={isMissing() || props.requests.isLinkWrong() ? t("passenger.found.linkWrong") : undefined}
              maxLength={512}
              prose
            />
            <Button type="submit" wide busy={props.requests.working()}>
              {t("passenger.found.linkAdd")}
            </Button>
          </form>
        }
      >
        {(link) => (
          <>
            <p>
              <bdi>{link().host}</bdi>
              <br />
              <span class="soft small">{opened()}</span>
            </p>
            <Button
              kind="quiet"
              busy={props.requests.working()}
              onClick={() => void props.requests.setLink("")}
            >
              {t("passenger.found.linkRemove")}
            </Button>
          </>
        )}
      </Show>
    </section>
  );
}

interface NotifyPhoneProps {
  readonly trace: BagTrace;
  readonly busy: boolean;
  /** An endpoint of the browser's push service, or nothing. */
  readonly onChange: (pushEndpoint: string) => Promise<void>;
}

/** Where browser and service have Web Push: whether this phone is notified of reports while the page is closed. */
function NotifyPhone(props: NotifyPhoneProps): JSX.Element {
  const { t } = useI18n();
  const { elsewhere } = useAppState();
  const [isRefused, setRefused] = createSignal(false);
  // No resources: Suspense would take the dialog out of the document, and it would no longer be modal.
  const [key, setKey] = createSignal<string>();
  // The service may notify another browser of the same person.
  const [isHere, setHere] = createSignal(false);
  const look = async () => {
    if (!hasPush()) return;
    setHere(await isSubscribed());
    setKey((await elsewhere()).pushKey);
  };
  onMount(() => void look());
  const turn = async (box: HTMLInputElement, pushKey: string) => {
    const endpoint = box.checked ? await subscribe(pushKey).catch(() => undefined) : "";
    setRefused(endpoint === undefined);
    if (endpoint !== undefined) await props.onChange(endpoint);
    await keepWords(t("passenger.found.news"));
    setHere(await isSubscribed());
    box.checked = isOn();
  };
  const isOn = () => props.trace.pushed === true && isHere();
  return (
    <Show when={key()}>
      {(pushKey) => (
        <section class="stack">
          <label class="tick">
            <input
              type="checkbox"
              checked={isOn()}
              disabled={props.busy}
              onChange={(event) => void turn(event.currentTarget, pushKey())}
            />
            <span>{t("passenger.found.notify")}</span>
          </label>
          <p role="alert" class="soft small">
            {isRefused() ? t("passenger.found.notifyRefused") : ""}
          </p>
        </section>
      )}
    </Show>
  );
}
