/** What no import can say: names that belong to one place, files that only re-export, files that never meet. */

/** A thing that only one place may name. */
export interface Ban {
  readonly what: string;
  readonly within: string;
  readonly except: readonly string[];
  /** Dotted global names, matched from the left: "Math.random", "fetch". */
  readonly globals: readonly string[];
  /** Property names, wherever they are read. */
  readonly members: readonly string[];
}

export const BANS: readonly Ban[] = [
  {
    what: "core has no clock, randomness, console, network, timers or storage: they are arguments",
    within: "core/",
    except: [],
    globals: [
      "Date.now",
      "new Date()",
      "Math.random",
      "performance",
      "console",
      "fetch",
      "XMLHttpRequest",
      "WebSocket",
      "setTimeout",
      "setInterval",
      "queueMicrotask",
      "localStorage",
      "indexedDB",
      "document",
      "window",
      "navigator",
      "process",
    ],
    members: [],
  },
  {
    what: "only web/sdk/ble/web-bluetooth-link.ts names navigator.bluetooth",
    within: "web/",
    except: ["web/sdk/ble/web-bluetooth-link.ts", "web/sim/install.ts"],
    globals: [],
    members: ["bluetooth"],
  },
];

/** Files that may do nothing but re-export. */
export const BARRELS: readonly string[] = ["core/api/index.ts", "db/schema.ts", "web/trusted-dom.ts"];

/** Pairs of files that never see each other, even at a distance. */
export const STRANGERS: readonly (readonly [string, string])[] = [
  ["core/sec/initiator.ts", "core/sec/responder.ts"],
];
