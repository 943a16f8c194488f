import { type Component, lazy } from "solid-js";

/** A part of a screen that the rest does without: where its file cannot be loaded, as offline, nothing is drawn. */
export const optional = <Props extends object>(load: () => Promise<Component<Props>>) =>
  lazy(async () => ({ default: await load().catch((): Component<Props> => () => undefined) }));
