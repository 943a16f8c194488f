/** Drawings of tags that move: those with the bag's id around them. */
const TAGS = "[data-bag] .tag";

/**
 * Moves the tag of a bag from its place on one screen to its place on the next, so that it stays in sight. Without a view
 * transition: while the browser prepares one it draws nothing, and what takes part loses taps.
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
  const { transitionDuration, transitionTimingFunction } = getComputedStyle(tag);
  const shift = [from.x - to.x + (from.width - to.width) / 2, from.y - to.y + (from.height - to.height) / 2];
  const untouchable = { pointerEvents: "none" };
  tag.animate([{ ...untouchable, translate: shift.map((way) => `${way}px`).join(" ") }, untouchable], {
    // As the style sheet says, in seconds; none where the person asks for less motion.
    duration: Number.parseFloat(transitionDuration) * 1_000,
    easing: transitionTimingFunction,
  });
}
