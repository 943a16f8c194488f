import { performance } from "node:perf_hooks";
import { configure } from "@solidjs/testing-library";

/** How long a test waits for something to appear: a busy machine is slow, not wrong. */
configure({ asyncUtilTimeout: 60_000 });

// jsdom's keeps no list of requests and marks that a page could clear.
Object.defineProperty(globalThis, "performance", { value: performance, configurable: true });

// Files run side by side in threads of one process: they are different browsers, not windows of one.
const browser = crypto.randomUUID();
const Channel = BroadcastChannel;
globalThis.BroadcastChannel = class extends Channel {
  constructor(name: string) {
    super(`${name} ${browser}`);
  }
};
