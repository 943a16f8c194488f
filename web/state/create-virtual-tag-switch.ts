import { type Accessor, createSignal, onMount } from "solid-js";

export interface VirtualTagSwitch {
  /** Whether this installation has virtual tags: development only. */
  readonly offered: Accessor<boolean>;
  readonly open: Accessor<boolean>;
  readonly show: () => void;
  readonly hide: () => void;
}

/** Remembers for this tab that its tags are virtual: the page's own addresses do not carry `?sim` along. */
const REMEMBERED = "taglatch.virtual-tags";

/**
 * Whether the panel of virtual tags is there: asked for by `?sim`, offered where the service is a development one. It
 * stays for the life of the tab, so that a reload in the middle of a journey does not ask for a real radio.
 */
export function createVirtualTagSwitch(isDevelopment: () => Promise<boolean>): VirtualTagSwitch {
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

  onMount(async () => {
    const wanted =
      new URLSearchParams(location.search).has("sim") || sessionStorage.getItem(REMEMBERED) !== null;
    if (!(await isDevelopment())) return;
    setOffered(true);
    if (wanted) show();
  });

  return { offered, open, show, hide };
}
