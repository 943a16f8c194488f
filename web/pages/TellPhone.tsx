import { createSignal, type JSX, onMount, Show } from "solid-js";
import type { BagTrace } from "../../sdk/index.ts";
import { useI18n } from "../i18n/index.tsx";
import { askToBeTold, canBeTold, isTold, keepWords } from "../service-worker/news.ts";
import { useAppState } from "../state/app-state.tsx";

export interface TellPhoneProps {
  readonly trace: BagTrace;
  readonly busy: boolean;
  /** An endpoint of the browser's push service, or nothing. */
  readonly onChange: (pushEndpoint: string) => Promise<void>;
}

/** Where browser and service have Web Push: whether this phone is told of reports while the page is closed. */
export function TellPhone(props: TellPhoneProps): JSX.Element {
  const { t } = useI18n();
  const { elsewhere } = useAppState();
  const [isRefused, setRefused] = createSignal(false);
  // No resources: Suspense would take the dialog around out of the document, and it would be modal no more.
  const [key, setKey] = createSignal<string>();
  // The service may tell another browser of the same person.
  const [told, setTold] = createSignal(false);
  const look = async () => {
    if (!canBeTold()) return;
    setTold(await isTold());
    setKey((await elsewhere()).pushKey);
  };
  onMount(() => void look());
  const turn = async (box: HTMLInputElement, pushKey: string) => {
    const endpoint = box.checked ? await askToBeTold(pushKey).catch(() => undefined) : "";
    setRefused(endpoint === undefined);
    if (endpoint !== undefined) await props.onChange(endpoint);
    await keepWords(t("passenger.found.news"));
    setTold(await isTold());
    box.checked = isOn();
  };
  const isOn = () => props.trace.pushed === true && told();
  return (
    <Show when={key()}>
      {(pushKey) => (
        <section class="stack">
          <label class="tell">
            <input
              type="checkbox"
              checked={isOn()}
              disabled={props.busy}
              onChange={(event) => void turn(event.currentTarget, pushKey())}
            />
            <span>{t("passenger.found.tell")}</span>
          </label>
          <p role="alert" class="soft small">
            {isRefused() ? t("passenger.found.tellRefused") : ""}
          </p>
        </section>
      )}
    </Show>
  );
}
