import type { LabelPayload, TicketPayload } from "../../core/bag/payload-fields.ts";
import type { DisplayState } from "../../core/gatt/profile.ts";
import type { TagWorld } from "./tag-types.ts";

/**
 * The e-paper: it changes whole or not at all. While a refresh runs the old content is what a reader still has;
 * a power loss in between leaves it so.
 */
export class Display {
  readonly #world: TagWorld;
  #content: LabelPayload | null = null;
  #cancel: (() => void) | undefined;

  constructor(world: TagWorld) {
    this.#world = world;
  }

  get state(): DisplayState {
    if (this.#cancel !== undefined) return "REFRESHING";
    return this.#content === null ? "BLANK" : "LABEL";
  }

  get content(): LabelPayload | null {
    return this.#content;
  }

  /** Begins to show `payload`; `done` runs once it is there, after `milliseconds`. */
  refresh(payload: TicketPayload, milliseconds: number, done: () => void): void {
    if (this.#cancel !== undefined) throw new Error("the display is already refreshing");
    this.#cancel = this.#world.after(milliseconds, () => {
      this.#cancel = undefined;
      this.#content = payload.kind === "clear" ? null : payload;
      done();
    });
  }

  /** The power went: a refresh under way never happened. */
  interrupt(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
