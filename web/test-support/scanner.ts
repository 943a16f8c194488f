import { createEvent, fireEvent } from "@solidjs/testing-library";

/** A scanner strikes a key every few milliseconds, however late a busy machine delivers them. */
export function scan(text: string) {
  const struck = performance.now();
  for (const [nth, key] of [...text, "Enter"].entries()) {
    const target = document.activeElement ?? document.body;
    const event = createEvent.keyDown(target, { key });
    Object.defineProperty(event, "timeStamp", { value: struck + nth });
    fireEvent(target, event);
  }
}
