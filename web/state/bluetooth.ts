/** Whether this browser can reach tags. Virtual tags come and go while a page is open. */
import { createSignal } from "solid-js";

const [changes, setChanges] = createSignal(0);

/** Over http no browser has Bluetooth, and another one would not help. */
export const cannotReachTags = (): boolean => {
  changes();
  return window.isSecureContext && navigator.bluetooth === undefined;
};

/** `navigator.bluetooth` is another now. */
export const bluetoothChanged = (): void => {
  setChanges((before) => before + 1);
};
