import { type JSX, lazy, Show, Suspense } from "solid-js";

const WithoutBluetooth = lazy(async () => ({
  default: (await import("./WithoutBluetooth.tsx")).WithoutBluetooth,
}));

/** Over http no browser has Bluetooth, and another one would not help. */
export const cannotReachTags = () => window.isSecureContext && navigator.bluetooth === undefined;

/** Nothing, and nothing loaded, where the browser has Bluetooth. */
export function WithoutBluetoothIfSo(): JSX.Element {
  return (
    <Show when={cannotReachTags()}>
      <Suspense>
        <WithoutBluetooth />
      </Suspense>
    </Show>
  );
}
