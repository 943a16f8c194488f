/** What one screen and the next both show of a bag's tag: an element with `data-bag` around its drawing. */
const TAGS = "[data-bag] .tag";

/**
 * From screen to screen the tag of a bag stays in sight and moves to its new place. Not by a view transition: the browser
 * draws nothing while it prepares one, takes a tenth of a transfer's work for it, and what takes part loses taps.
 */
export function movingTags() {
  let places = new Map<string, DOMRect>();
  const each = (act: (bag: string, tag: HTMLElement) => void) => {
    for (const tag of document.querySelectorAll<HTMLElement>(TAGS))
      act(tag.closest<HTMLElement>("[data-bag]")?.dataset.bag ?? "", tag);
  };
  return {
    /** Before a screen leaves. Back and forward do without motion: the browser has gestures of its own for them. */
    leave(isGesture: boolean): void {
      places = new Map();
      if (!isGesture) each((bag, tag) => places.set(bag, tag.getBoundingClientRect()));
    },
    /** When the next one is there, scrolled to where it is read from. */
    arrive(): void {
      const from = places;
      places = new Map();
      if (from.size > 0) each((bag, tag) => move(tag, from.get(bag)));
    },
  };
}

/** In its new size at once: in every size between, the browser would lay out its letters again. */
function move(tag: HTMLElement, from: DOMRect | undefined): void {
  const to = tag.getBoundingClientRect();
  if (from === undefined || from.width === 0 || to.width === 0) return;
  const style = getComputedStyle(tag);
  const shift = [from.x - to.x + (from.width - to.width) / 2, from.y - to.y + (from.height - to.height) / 2];
  const through = { pointerEvents: "none" };
  tag.animate([{ ...through, translate: shift.map((way) => `${way}px`).join(" ") }, through], {
    // None where the person asks for less motion.
    duration: Number.parseFloat(style.getPropertyValue("--calm")) || 0,
    easing: style.getPropertyValue("--ease") || "ease",
  });
}
