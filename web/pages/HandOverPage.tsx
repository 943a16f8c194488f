import { type Accessor, createEffect, createMemo, For, type JSX, Match, Show, Switch } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { ErrorPanel, headingOf } from "../job/ErrorPanel.tsx";
import { destinationOf } from "../job/journey-view.ts";
import { useAppState } from "../state/app-state.tsx";
import {
  createHandOver,
  type HandOver,
  type HandOverState,
  type HostClaims,
  type Obstacle,
} from "../state/hand-over.ts";
import { Button, ButtonLink, Notice } from "../ui/Controls.tsx";
import { Page } from "./Page.tsx";
import { ClearLink } from "./TagLinks.tsx";

type Step = HandOverState["step"];
type At<Name extends Step> = Extract<HandOverState, { readonly step: Name }>;

/**
 * A host app hands its traveller over. The page asks before it uses the token, and replaces no session that is still
 * needed.
 */
export function HandOverPage(): JSX.Element {
  const { t, day, locale } = useI18n();
  const { load, handOver: source, journeyCache } = useAppState();
  const handOver = createHandOver({ load, forget: journeyCache.erase, ...source });
  const at = <Name extends Step>(...names: readonly Name[]): At<Name> | undefined => {
    const now = handOver.state();
    return (names as readonly Step[]).includes(now.step) ? (now as At<Name>) : undefined;
  };
  const title = () => {
    const asked = at("asking", "checking", "blocked");
    const { passenger, flight } = asked?.claims ?? {};
    // The surname's letter stays beside the name before it.
    const name = passenger?.replace(/ (?=\S+$)/, "\u00a0");
    if (name) return t("passenger.handOver.titleAs", flight ? `${name} (${flight})` : name);
    if (at("nothing")) return t("passenger.handOver.nothing");
    if (at("done")) return t("passenger.handOver.choose");
    const failed = at("failed");
    return failed ? headingOf(failed.error, t) : t("passenger.handOver.title");
  };

  createEffect(() => {
    const done = at("done");
    if (!done) return;
    const [only, ...others] = done.journeys;
    // Loads a whole new document: this one is still connected to the window that opened it.
    if (others.length === 0) location.replace(only ? `/journeys/${only.journeyId}` : "/");
  });

  return (
    <Page title={title()}>
      <Switch>
        <Match when={at("waiting")}>
          <p class="page-lead" role="status">
            {t("passenger.handOver.waiting")}
          </p>
          <ToStart />
        </Match>
        <Match when={at("nothing")}>
          <p class="page-lead">{t("passenger.handOver.nothingNext")}</p>
          <ToStart />
        </Match>
        <Match when={at("asking", "checking", "blocked")}>
          {(asked) => <Question asked={asked} handOver={handOver} />}
        </Match>
        <Match when={at("failed")}>
          {(failed) => (
            <>
              <ErrorPanel error={failed().error} headed />
              <ToStart />
            </>
          )}
        </Match>
        <Match when={at("done")}>
          {(done) => (
            <Show when={done().journeys.length > 1}>
              <For each={done().journeys}>
                {(journey: Journey) => (
                  <Button wide onClick={() => location.replace(`/journeys/${journey.journeyId}`)}>
                    {t(
                      "passenger.handOver.journey",
                      destinationOf(journey, locale()),
                      day(journey.flights[0]?.date ?? ""),
                    )}
                  </Button>
                )}
              </For>
            </Show>
          )}
        </Match>
      </Switch>
    </Page>
  );
}

function Question(props: {
  readonly asked: Accessor<At<"asking" | "checking" | "blocked">>;
  readonly handOver: HandOver;
}): JSX.Element {
  const { t } = useI18n();
  const claims = () => props.asked().claims;
  const obstacle = createMemo(() => {
    const now = props.asked();
    return now.step === "blocked" ? now.obstacle : undefined;
  });
  return (
    <>
      <p class="page-lead">{t("passenger.handOver.lead", claims().host)}</p>
      <section class="card" aria-label={t("passenger.handOver.about")}>
        <Claims claims={claims()} />
        <Show when={!claims().expired && !obstacle()}>
          <p class="soft small">{t("passenger.handOver.warning")}</p>
          <Button kind="primary" wide busy={props.asked().step === "checking"} onClick={props.handOver.go}>
            {props.asked().step === "checking"
              ? t("passenger.handOver.signingIn")
              : t("passenger.handOver.go")}
          </Button>
        </Show>
      </section>
      <div role="alert" class="alert-slot">
        <Show when={claims().expired}>
          <Notice tone="warn" title={t("passenger.handOver.expired")}>
            <p>{t("passenger.handOver.expiredNext")}</p>
          </Notice>
        </Show>
        <Show when={obstacle()}>
          {(why) => <ObstacleNotice obstacle={why()} handOver={props.handOver} />}
        </Show>
      </div>
      <Show when={!obstacle()}>
        <ButtonLink href="/" kind="quiet" wide>
          {t("passenger.handOver.refuse")}
        </ButtonLink>
      </Show>
    </>
  );
}

/** The token's claims, as far as they may be shown: nothing of them has been checked yet. */
function Claims(props: { readonly claims: HostClaims }): JSX.Element {
  const { t } = useI18n();
  const rows = () =>
    [
      [t("passenger.handOver.sender"), props.claims.host],
      [t("journey.passenger"), props.claims.passenger],
      [t("start.recordLocator"), props.claims.recordLocator],
    ] as const;
  return (
    <dl class="facts">
      <For each={rows().filter(([, value]) => value !== undefined)}>
        {([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        )}
      </For>
    </dl>
  );
}

/** Why the hand-over must wait, and how to finish first. */
function ObstacleNotice(props: { readonly obstacle: Obstacle; readonly handOver: HandOver }): JSX.Element {
  const { t, list } = useI18n();
  const body = () => {
    const { obstacle } = props;
    if (obstacle.reason !== "locks") return t(`passenger.handOver.${obstacle.reason}`);
    return t("passenger.handOver.locks", list(obstacle.tags.map(tagName)));
  };
  const action = () => {
    const { obstacle, handOver } = props;
    switch (obstacle.reason) {
      case "locks":
        return <For each={obstacle.tags}>{(tag) => <ClearLink device={tag} />}</For>;
      case "outbox":
        return <Button onClick={handOver.confirmAndGo}>{t("outbox.retry")}</Button>;
      case "unknown":
        return <Button onClick={handOver.go}>{t("app.again")}</Button>;
    }
  };
  return (
    <Notice
      tone="warn"
      title={t(`passenger.handOver.${props.obstacle.reason}Title`)}
      actions={
        <>
          {action()}
          <ButtonLink href="/" kind="quiet">
            {t("passenger.handOver.stay")}
          </ButtonLink>
        </>
      }
    >
      <p>{body()}</p>
    </Notice>
  );
}

function ToStart(): JSX.Element {
  const { t } = useI18n();
  return (
    <div>
      <ButtonLink href="/" kind="primary">
        {t("job.toStart")}
      </ButtonLink>
    </div>
  );
}
