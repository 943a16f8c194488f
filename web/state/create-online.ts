import { type Accessor, createSignal, onCleanup } from "solid-js";

/** Whether the browser has any network. That it has one does not mean that the service answers. */
export function createOnline(): Accessor<boolean> {
  const [online, setOnline] = createSignal(navigator.onLine);
  const look = () => setOnline(navigator.onLine);
  for (const event of ["online", "offline"]) {
    addEventListener(event, look);
    onCleanup(() => removeEventListener(event, look));
  }
  return online;
}
