import { createSignal, type JSX, lazy, onMount, Show, Suspense } from "solid-js";
import { whenIdle } from "../../state/browser.ts";

const SimPanel = lazy(async () => ({ default: (await import("./SimPanel.tsx")).SimPanel }));

/** The panel of virtual tags beside a page or a kiosk, loaded when it is opened. */
export function VirtualTags(props: { readonly tags: VirtualTagSwitch }): JSX.Element {
  return (
    <Show when={props.tags.open()}>
      <Suspense>
        <SimPanel onClose={props.tags.hide} />
      </Suspense>
    </Show>
  );
}

export type VirtualTagSwitch = ReturnType<typeof createVirtualTagSwitch>;

/** Remembers for this tab that its tags are virtual: the page's own links do not carry `?sim` along. */
const REMEMBERED = "taglatch.virtual-tags";

/**
 * Whether the panel of virtual tags is shown: requested by `?sim`, and offered if the service is a
 * development one. It stays for the life of the tab, so that a reload in the middle of a journey does not ask
 * for a real radio.
 */
export function createVirtualTagSwitch(isDevelopment: () => Promise<boolean>) {
  /** Whether this installation has virtual tags: development only. */
  const [offered, setOffered] = createSignal(false);
  const [open, setOpen] = createSignal(false);

  const show = () => {
    sessionStorage.setItem(REMEMBERED, "");
    setOpen(true);
  };
  const hide = () => {
    sessionStorage.removeItem(REMEMBERED);
    setOpen(false);
  };

  const ask = async (isRequested: boolean) => {
    if (!(await isDevelopment())) return;
    setOffered(true);
    if (isRequested) show();
  };

  onMount(() => {
    const isRequested =
      new URLSearchParams(location.search).has("sim") || sessionStorage.getItem(REMEMBERED) !== null;
    // A passenger's first drawing does not wait for a request that does not concern them.
    if (isRequested) void ask(true);
    else whenIdle(() => void ask(false));
  });

  return { offered, open, show, hide };
}
