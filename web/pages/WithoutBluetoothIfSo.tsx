import { type JSX, lazy, type ParentProps, Show, Suspense } from "solid-js";
import { cannotReachTags } from "../state/bluetooth.ts";

const WithoutBluetooth = lazy(async () => ({
  default: (await import("./WithoutBluetooth.tsx")).WithoutBluetooth,
}));

/** Nothing, and nothing loaded, where the browser has Bluetooth. Its children are the first of the ways out. */
export function WithoutBluetoothIfSo(props: ParentProps): JSX.Element {
  return (
    <Show when={cannotReachTags()}>
      <Suspense>
        <WithoutBluetooth>{props.children}</WithoutBluetooth>
      </Suspense>
    </Show>
  );
}
