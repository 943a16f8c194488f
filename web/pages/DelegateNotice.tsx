import { useNavigate } from "@solidjs/router";
import { createEffect, type JSX, onMount, Show } from "solid-js";
import { useI18n, Words } from "../i18n/index.tsx";
import { ErrorPanel } from "../job/ErrorPanel.tsx";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { createDelegations } from "../state/delegations.ts";
import { Button } from "../ui/Button.tsx";
import { Notice } from "../ui/Notice.tsx";

/** Over another person's journey: what this phone is there for, and the delegation's end. */
export function DelegateNotice(props: { readonly delegationId: string }): JSX.Element {
  const { t } = useI18n();
  const { load, journeys } = useAppState();
  const navigate = useNavigate();
  const request = createRequest();
  const asked = createDelegations(load);
  onMount(() => void asked.refresh());
  createEffect(() => {
    const isThere = asked.all()?.some(({ delegationId }) => delegationId === props.delegationId) ?? true;
    if (isThere) return;
    journeys.forget();
    navigate("/with", { replace: true, state: { ended: true } });
  });
  const end = () =>
    void request
      .send(async () => (await load()).delegations.decide(props.delegationId, false))
      .then(asked.refresh);
  return (
    <Words part="passenger">
      <Notice
        title={t("passenger.delegate.forOther")}
        actions={
          <Button busy={request.working()} onClick={end}>
            {t("passenger.delegate.end")}
          </Button>
        }
      >
        <p>{t("passenger.delegate.forOtherBody")}</p>
        <Show when={request.error()}>{(problem) => <ErrorPanel error={problem()} />}</Show>
      </Notice>
    </Words>
  );
}
