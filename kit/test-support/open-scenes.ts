import { afterEach } from "vitest";
import { type AttScene, type AttSceneOptions, attScene } from "./att-scene.ts";

/** Makes scenes that end with their test: a stack left running would keep its timers. */
export function openScenes(): (options?: AttSceneOptions) => Promise<AttScene> {
  const open: AttScene[] = [];
  afterEach(() => {
    for (const scene of open.splice(0)) scene.close();
  });
  return async (options) => {
    const scene = await attScene(options);
    open.push(scene);
    return scene;
  };
}
