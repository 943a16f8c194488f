/** Build-time only. Which modules share a chunk, and its name. */

/** Virtual tags are in chunks with their own name, so that a script can prove they are in no other. */
export function chunkFileNames(chunk: { readonly moduleIds: readonly string[] }): string {
  const simulated = chunk.moduleIds.some((id) =>
    /\/sim\/|\/web\/(desk\/virtual-tags\/|i18n\/pseudo\.ts)/.test(id),
  );
  if (simulated) return "assets/sim-[name]-[hash].js";
  if (chunk.moduleIds.some((id) => id.includes("/web/desk/diagnostics/")))
    return "assets/diagnostics-[name]-[hash].js";
  // The checks for tag makers, and the issuing code that only they load.
  const desk = chunk.moduleIds.some((id) =>
    /\/(?:web\/desk|kit)\/conformance\/|\/core\/pki\/issue\.ts/.test(id),
  );
  if (desk) return "assets/conformance-[name]-[hash].js";
  const folder = extraFolder(chunk.moduleIds);
  return folder === undefined ? "assets/[name]-[hash].js" : `assets/${folder}/[name]-[hash].js`;
}

/** Where files are that not every visitor needs: a page asks its service worker for them (`extra-files.ts`). */
function extraFolder(moduleIds: readonly string[]): string | undefined {
  const [, language, part] = /\/web\/i18n\/([a-z]{2})(-\w+)?\.ts$/.exec(moduleIds[0] ?? "") ?? [];
  if (language !== undefined) return `${part === "-kiosk" ? "kiosk" : "words"}/${language}`;
  return moduleIds.some((id) => id.includes("/web/kiosk/")) ? "kiosk" : undefined;
}

/**
 * On a slow network every request costs more than its bytes. So what the first drawing needs is one file, and
 * the small modules that several screens use are two files instead of twenty.
 */
const TOGETHER = [
  {
    name: "page",
    // The reference at /docs/api is an entry of its own.
    test: (id: string) => !/swagger|\/web\/(?:reference\/|docs)/.test(id),
    tags: ["$initial" as const],
  },
  {
    name: "tag",
    test: /\/jsbarcode\/|\/web\/ui\/(?:TagDrawing|Dialog|FlightLine)\.|\/web\/job\/(?:journey-view|create-remembered|Remedy)\.|\/web\/pages\/(?:TagLinks|Forget|AskDialog)\.|\/web\/state\/create-journey-load\.|\/core\/encoding\/(?:bytes|cbor)\.ts|\/core\/gatt\/tag-name\.ts|\/core\/bag\/(?:errors|licence-plate|payload|ticket-payload)\.ts/,
  },
  {
    name: "job",
    test: /\/web\/ui\/Progress\.|\/web\/pages\/JobView\.tsx|\/web\/job\/(?:Job\w+|ChooserAdvice|create-jobs|guide-chooser|job-\w+|tag-job|(?:create|run)-tag-job)\.|\/sdk\/types\.ts/,
  },
  {
    // One tap in a hundred needs one of them, and each is smaller than a request.
    name: "rare",
    test: /\/web\/pages\/(?:RareBagActions|ShowToStaff|TraceDialog|AddBagDialog|Undo)\./,
  },
  {
    // A session as the client and the virtual tags need it.
    name: "sec",
    test: /\/core\/sec\/(?:answers|authentication|channel|cose|ecdh|errors|framing|initiator|messages|primitives|records|schedule|statement|suites|token)\.ts/,
  },
];

/** Rolldown's `codeSplitting`. */
export const codeSplitting = {
  groups: TOGETHER.map((group) => ({ ...group, includeDependenciesRecursively: false })),
};
