import { type JSX, lazy, Show, Suspense } from "solid-js";
import type { VirtualTagSwitch } from "./create-virtual-tag-switch.ts";

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
