import { type JSX, lazy, Show, Suspense } from "solid-js";
import { cannotReachTags } from "../state/browser.ts";
import type { WithoutBluetoothProps } from "./WithoutBluetooth.tsx";

const WithoutBluetooth = lazy(async () => ({
  default: (await import("./WithoutBluetooth.tsx")).WithoutBluetooth,
}));

/** Nothing, and nothing loaded, where the browser has Bluetooth. Its children are the first of the ways out. */
export function WithoutBluetoothIfSo(props: WithoutBluetoothProps): JSX.Element {
  return (
    <Show when={cannotReachTags()}>
      <Suspense>
        <WithoutBluetooth {...props} />
      </Suspense>
    </Show>
  );
}
