import { useParams } from "@solidjs/router";
import { createResource, type JSX, Match, onCleanup, Show, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import type { LinkedBooking } from "../state/address-fragment.ts";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";
import { BagsForTag } from "./BagsForTag.tsx";
import { FindBooking } from "./FindBooking.tsx";
import { NotFoundPage } from "./NotFoundPage.tsx";
import { Page } from "./Page.tsx";
import { WithoutBluetoothIfSo } from "./WithoutBluetoothIfSo.tsx";

/**
 * Opened from the tag in one's hand (`/t/<device id>`, as NFC or a QR code on it), or from the shortcut of the installed
 * page (`/t`). It does nothing by itself: a stranger may have made the link.
 */
export function TagPage(): JSX.Element {
  const params = useParams<{ deviceId?: string }>();
  const device = () => idOf(params.deviceId ?? "");
  return (
    <Show when={params.deviceId === undefined || device()} fallback={<NotFoundPage />}>
      <Words part="passenger">
        <ForTag device={device()} />
      </Words>
    </Show>
  );
}

/** An id is at most 64 bytes, and its last four characters are a name to read. Undefined for anything else. */
function idOf(segment: string): string | undefined {
  try {
    return /^[\x21-\x7e]{4,64}$/.exec(decodeURIComponent(segment))?.[0];
  } catch {
    // Not percent-encoding.
    return undefined;
  }
}

function ForTag(props: { readonly device: string | undefined }): JSX.Element {
  const { t } = useI18n();
  const { journeys, keeping, linked, dropLinked } = useAppState();
  // Whether a journey is held already decides what a link may do: nothing is shown before it is known.
  const [restored] = createResource(() => keeping.restored().then(() => true));
  const held = () => journeys.latest()?.journey ?? keeping.kept()?.journey;
  const other = () => {
    const booking = linked();
    return booking !== undefined && held() !== undefined && booking.recordLocator !== held()?.recordLocator;
  };
  onCleanup(dropLinked);
  return (
    <Page
      title={props.device === undefined ? t("bag.put") : t("job.device", tagName(props.device))}
      lead={(held() ?? linked()) ? undefined : t("passenger.link.lead")}
      back={{ href: "/", label: t("job.toStart") }}
    >
      <WithoutBluetoothIfSo />
      <Show when={restored()}>
        <Switch fallback={<Finding device={props.device} />}>
          <Match when={held()}>{(journey) => <BagsForTag journey={journey()} device={props.device} />}</Match>
          <Match when={linked()}>{(booking) => <Question booking={booking()} />}</Match>
        </Switch>
        <Show when={other()}>
          <Notice tone="warn" title={t("passenger.link.otherTitle")}>
            <p>{t("passenger.link.other")}</p>
          </Notice>
        </Show>
      </Show>
    </Page>
  );
}

function Finding(props: { readonly device: string | undefined }): JSX.Element {
  const scan = () =>
    props.device === undefined ? "/scan?tag" : `/scan?tag=${encodeURIComponent(props.device)}`;
  // This screen shows what was found.
  return <FindBooking scan={scan()} onFound={() => undefined} />;
}

/** Whoever sent the link knows this booking. Only the person can say that it is theirs, and nothing is asked before. */
function Question(props: { readonly booking: LinkedBooking }): JSX.Element {
  const { t } = useI18n();
  const { journeys, dropLinked } = useAppState();
  const request = createRequest();
  const find = () =>
    void request.send(() => journeys.find(props.booking.recordLocator, props.booking.surname));
  return (
    <section class="card" aria-labelledby="yours">
      <h2 id="yours">{t("passenger.link.yours")}</h2>
      <dl class="facts">
        <div>
          <dt>{t("journey.recordLocator")}</dt>
          <dd>
            <bdi class="code">{props.booking.recordLocator}</bdi>
          </dd>
        </div>
        <div>
          <dt>{t("start.surname")}</dt>
          <dd>
            <bdi>{props.booking.surname}</bdi>
          </dd>
        </div>
      </dl>
      <p class="soft small">{t("passenger.link.yoursBody")}</p>
      <div role="alert" class="alert-slot">
        <Show when={request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </div>
      <Button kind="primary" wide busy={request.working()} onClick={find}>
        {request.working() ? t("start.finding") : t("passenger.link.yes")}
      </Button>
      <Button kind="quiet" wide onClick={dropLinked}>
        {t("passenger.link.no")}
      </Button>
    </section>
  );
}
