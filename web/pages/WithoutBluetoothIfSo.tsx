import { type JSX, lazy, type ParentProps, Show, Suspense } from "solid-js";

const WithoutBluetooth = lazy(async () => ({
  default: (await import("./WithoutBluetooth.tsx")).WithoutBluetooth,
}));

/** Over http no browser has Bluetooth, and another one would not help. */
export const cannotReachTags = () => window.isSecureContext && navigator.bluetooth === undefined;

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
