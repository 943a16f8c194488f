import { createSignal, For, type JSX, onCleanup, onMount, Show } from "solid-js";
import { isLicencePlate } from "../../core/bag/licence-plate.ts";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { TracedBag } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorSlot } from "../job/ErrorPanel.tsx";
import { FoundReports } from "../job/FoundReports.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button, Notice } from "../ui/Controls.tsx";
import { QrImage } from "../ui/QrImage.tsx";
import { useKiosk } from "./kiosk-state.tsx";
import { Screen } from "./Screen.tsx";

/** The airline's lost and found bags, for authenticated staff: the latest news first, each with its reports. */
export function TracingScreen(): JSX.Element {
  const { t } = useI18n();
  const tracing = createTracing();
  const { scans } = useKiosk();
  onMount(() => {
    void tracing.list();
    onCleanup(scans.offer(tracing.scan));
  });
  return (
    <Screen
      title={t("kiosk.tracing.title")}
      lead={tracing.chosen() ? undefined : t("kiosk.tracing.lead")}
      narrow
    >
      <ErrorSlot error={tracing.error()} />
      <div role="status" class="alert-slot">
        <Show when={tracing.isMissed()}>
          <Notice title={t("kiosk.tracing.notListed")} />
        </Show>
      </div>
      <Show when={tracing.chosen()} fallback={<Bags tracing={tracing} />}>
        {(bag) => <Bag bag={bag()} tracing={tracing} />}
      </Show>
    </Screen>
  );
}

type Tracing = ReturnType<typeof createTracing>;

function createTracing() {
  const { load } = useKiosk();
  const { working, error, send, end } = createRequest();
  const [bags, setBags] = createSignal<readonly TracedBag[]>();
  const [chosen, setChosen] = createSignal<TracedBag>();
  const [link, setLink] = createSignal<string>();
  /** The tag that was scanned is on no list. */
  const [isMissed, setMissed] = createSignal(false);
  /** Where the list, or the reports of the chosen bag, go on. */
  const [cursor, setCursor] = createSignal<string>();
  onCleanup(end);
  const list = (from?: string) =>
    send(
      async (signal) => (await load()).tags.traced({ signal, ...(from && { cursor: from }) }),
      (page) => {
        setChosen(undefined);
        setLink(undefined);
        setCursor(page.nextCursor);
        setBags([...(from ? (bags() ?? []) : []), ...page.bags]);
      },
    );
  const choose = (uniqueDeviceId: string, from?: string) =>
    send(
      async (signal) => (await load()).tags.traced({ signal, uniqueDeviceId, ...(from && { cursor: from }) }),
      ({ bags: [bag], nextCursor }) => {
        // Already reunited, or of a tag that was scanned: the list does not have it.
        setMissed(bag === undefined);
        if (bag === undefined) return void list();
        const before = from ? (chosen()?.reports ?? []) : [];
        setCursor(nextCursor);
        setChosen({ ...bag, reports: [...before, ...(bag.reports ?? [])] });
      },
    );
  const open = (uniqueDeviceId: string) =>
    send(
      async (signal) => (await load()).tags.openLocation(uniqueDeviceId, { signal }),
      ({ locationLink }) => void setLink(locationLink),
    );
  /** A tag's own code, or the barcode of the label on it; everything else is for another screen. */
  const scan = (text: string) => {
    const tag = tagOf(text, bags() ?? []);
    setMissed(tag === undefined && isLicencePlate(text));
    if (tag !== undefined) void choose(tag);
    return tag !== undefined || isMissed();
  };
  return { working, error, bags, chosen, link, cursor, isMissed, list, choose, open, scan };
}

/** The tag whose own code was scanned: an address `/t/<id>` of this page. */
function taggedBy(scanned: string): string | undefined {
  const path = URL.canParse(scanned) ? new URL(scanned).pathname : "";
  const id = /^\/t\/([^/]+)$/.exec(path)?.[1];
  try {
    return id && decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

const tagOf = (text: string, bags: readonly TracedBag[]) =>
  taggedBy(text) ?? bags.find(({ licencePlate }) => licencePlate === text)?.uniqueDeviceId;

function Bags(props: { readonly tracing: Tracing }): JSX.Element {
  const { t } = useI18n();
  return (
    <Show
      when={props.tracing.bags()?.length !== 0}
      fallback={<Notice tone="good" title={t("kiosk.tracing.none")} />}
    >
      <div class="kiosk-choices">
        <For each={props.tracing.bags()}>
          {(bag) => (
            <Button wide onClick={() => void props.tracing.choose(bag.uniqueDeviceId)}>
              <span class="tracing-row">
                <bdi class="code">{bag.licencePlate}</bdi> <bdi class="code">{bag.flight}</bdi>{" "}
                <bdi class="code tracing-tag">{tagName(bag.uniqueDeviceId)}</bdi>{" "}
                <span class="small tracing-news">
                  <News bag={bag} />
                </span>
              </span>
            </Button>
          )}
        </For>
        <Show when={props.tracing.cursor()}>
          {(cursor) => (
            <Button wide kind="quiet" onClick={() => void props.tracing.list(cursor())}>
              {t("kiosk.tracing.further")}
            </Button>
          )}
        </Show>
      </div>
    </Show>
  );
}

function News(props: { readonly bag: TracedBag }): JSX.Element {
  const { t, dateTime } = useI18n();
  const { foundAt, lostSince } = props.bag;
  return (
    <>
      {foundAt
        ? t("kiosk.tracing.found", dateTime(Date.parse(foundAt)))
        : t("kiosk.tracing.lost", dateTime(Date.parse(lostSince ?? "")))}
    </>
  );
}

function Bag(props: { readonly bag: TracedBag; readonly tracing: Tracing }): JSX.Element {
  const { t } = useI18n();
  const id = () => props.bag.uniqueDeviceId;
  return (
    <div class="kiosk-choices">
      <h2>
        {t("job.device", tagName(id()))} · <bdi class="code">{props.bag.licencePlate}</bdi>
        <Show when={props.bag.flight}>
          {(flight) => (
            <>
              {" · "}
              <bdi class="code">{flight()}</bdi>
            </>
          )}
        </Show>
      </h2>
      <p class="soft">
        <News bag={props.bag} />
      </p>
      <Show when={props.bag.reports?.length} fallback={<Notice title={t("kiosk.tracing.noReports")} />}>
        <FoundReports reports={props.bag.reports ?? []} desk={(desk) => t("kiosk.tracing.desk", desk)} />
      </Show>
      <Show when={props.tracing.cursor()}>
        {(cursor) => (
          <Button wide kind="quiet" onClick={() => void props.tracing.choose(id(), cursor())}>
            {t("kiosk.tracing.further")}
          </Button>
        )}
      </Show>
      <Show when={props.tracing.link()}>
        {(link) => (
          <div class="found-link">
            <p>{t("kiosk.tracing.linkScan")}</p>
            <QrImage text={link()} label={t("kiosk.tracing.linkCode")} />
            <bdi class="code small" dir="ltr">
              {link()}
            </bdi>
          </div>
        )}
      </Show>
      <Show when={props.bag.hasLocationLink && props.tracing.link() === undefined}>
        <p class="soft">{t("kiosk.tracing.linkLead")}</p>
        <Button
          kind="primary"
          wide
          busy={props.tracing.working()}
          onClick={() => void props.tracing.open(id())}
        >
          {t("kiosk.tracing.linkOpen")}
        </Button>
      </Show>
      <Button wide onClick={() => void props.tracing.list()}>
        {t("kiosk.tracing.all")}
      </Button>
    </div>
  );
}
