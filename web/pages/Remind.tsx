import { createSignal, type JSX, onMount, Show } from "solid-js";
import { tagName } from "../../core/gatt/tag-name.ts";
import type { BagTraceChange, Journey } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { hasPush, isSubscribed, keepWords, subscribe } from "../service-worker/news.ts";
import { forgetReminder, hasReminder, keepReminder } from "../service-worker/reminders.ts";
import { useAppState } from "../state/app-state.tsx";
import { createRequest } from "../state/create-request.ts";
import { Button } from "../ui/Button.tsx";
import { landingOf, saveReminder } from "./reminder.ts";

interface RemindProps {
  readonly journey: Journey;
  readonly device: string;
}

/** After landing, a notification on this phone; a calendar entry where there is none. */
export function Remind(props: RemindProps): JSX.Element {
  const { t } = useI18n();
  const { isOn, working, turn } = createReminder(props);
  return (
    <>
      <Button kind="quiet" busy={working()} onClick={() => void turn()}>
        {t(isOn() ? "passenger.card.remindNot" : "passenger.card.remind")}
      </Button>
      <p class="soft small" role="status">
        <Show when={isOn()}>{t("passenger.card.reminded")}</Show>
      </p>
    </>
  );
}

function createReminder({ journey, device }: RemindProps) {
  const { t } = useI18n();
  const { load, elsewhere } = useAppState();
  const { working, send } = createRequest();
  const [isOn, setOn] = createSignal(false);
  const look = async () => setOn(hasPush() && (await hasReminder(device)) && (await isSubscribed()));
  onMount(() => void look().catch(() => undefined));

  const change = (what: BagTraceChange, take: () => Promise<void>) =>
    send(async () => (await load()).tags.changeTrace(device, what), take);
  const turnOn = async () => {
    const { pushKey } = hasPush() ? await elsewhere() : {};
    const endpoint = pushKey && (await subscribe(pushKey).catch(() => undefined));
    const answered =
      endpoint &&
      (await change({ pushEndpoint: endpoint, remindToClear: true }, async () => {
        await keepReminder(device, landingOf(journey), t("passenger.arrival.title"));
        await keepWords(t("passenger.found.news"));
      }));
    if (answered !== "done") saveReminder(journey, device, t("passenger.card.reminder", tagName(device)));
  };
  const turn = async () => {
    if (working()) return;
    await (isOn() ? change({ pushEndpoint: "" }, () => forgetReminder(device)) : turnOn());
    await look().catch(() => undefined);
  };
  return { isOn, working, turn };
}
