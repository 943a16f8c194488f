import { type Accessor, createSignal, onMount } from "solid-js";

export interface VirtualTagSwitch {
  /** Whether this installation has virtual tags: development only. */
  readonly offered: Accessor<boolean>;
  readonly open: Accessor<boolean>;
  readonly show: () => void;
  readonly hide: () => void;
}

/** Whether the panel of virtual tags is there: asked for by `?sim`, offered where the service is a development one. */
export function createVirtualTagSwitch(): VirtualTagSwitch {
  const [offered, setOffered] = createSignal(false);
  const [open, setOpen] = createSignal(false);

  onMount(async () => {
    if (!(await isDevelopment())) return;
    setOffered(true);
    if (new URLSearchParams(location.search).has("sim")) setOpen(true);
  });

  return { offered, open, show: () => setOpen(true), hide: () => setOpen(false) };
}

async function isDevelopment(): Promise<boolean> {
  try {
    const answer = await fetch("/.well-known/ebt-configuration");
    const configuration: unknown = await answer.json();
    return (
      typeof configuration === "object" &&
      configuration !== null &&
      "environment" in configuration &&
      configuration.environment === "development"
    );
  } catch {
    // Offline or no service: then there is nothing a virtual tag could be written with.
    return false;
  }
}
