import { expect } from "@playwright/test";
import type { VirtualTag } from "../../sim/tag/tag-types.ts";
import type { Caller } from "./caller.ts";

interface Label {
  readonly licencePlate: string;
  readonly destination: string;
}

/** The e-paper shows exactly one label, whole. */
export function expectLabel(tag: VirtualTag, { licencePlate, destination }: Label): void {
  const { display, commits } = tag.snapshot();
  expect(display.state).toBe("LABEL");
  expect(display.content).toMatchObject({ kind: "write", licencePlate });
  expect(display.content?.segments?.at(-1)?.airport).toBe(destination);
  expect(commits).toBeGreaterThan(0);
}

/** The e-paper is blank. */
export function expectBlank(tag: VirtualTag): void {
  expect(tag.snapshot().display).toEqual({ state: "BLANK", content: null });
}

/** What the service answers an uninvolved caller about the tag's lock. */
export async function expectLocked(tag: VirtualTag, stranger: Caller): Promise<void> {
  expect(await stranger.lookup(tag.id)).toMatchObject({
    locked: true,
    sameTravelPlan: false,
    requiresCustodyProof: true,
  });
}

export async function expectUnlocked(tag: VirtualTag, stranger: Caller): Promise<void> {
  expect(await stranger.lookup(tag.id)).toMatchObject({ locked: false, requiresCustodyProof: false });
}

/** Counts the connections a tag takes from now on. */
export function countConnections(tag: VirtualTag): () => number {
  let connections = 0;
  tag.observe((event) => {
    if (event.type === "link" && event.change === "connected") connections += 1;
  });
  return () => connections;
}

/** Who ended each link of the tag from now on. */
export function endsOf(tag: VirtualTag): readonly string[] {
  const ends: string[] = [];
  tag.observe((event) => {
    if (event.type === "link" && event.change === "disconnected") ends.push(event.by);
  });
  return ends;
}
