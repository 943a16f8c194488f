/**
 * Build-time only. The page is one document for every address, and a screen that is loaded later would be
 * fetched only once the page runs. So each screen that people open by its address has a copy of the document in each
 * language, that preloads the screen's files and words: worker/http/assets.ts answers with it.
 */
import type { Plugin } from "vite";
import { FALLBACK, LOCALES, type Locale } from "../../core/api/locales.ts";

/** A cached journey is on the screen before anything is fetched. */
const CACHED = "/web/state/cached-journey.ts";

/** Names of the documents, and what each screen is first drawn with: modules, and a part of the words. */
const SCREENS: Readonly<Record<string, { readonly modules: readonly string[]; readonly part?: string }>> = {
  start: { modules: [] },
  journey: { modules: ["/web/pages/JourneyPage.tsx", CACHED], part: "passenger" },
  transfer: { modules: ["/web/pages/TransferPage.tsx", CACHED], part: "passenger" },
  clear: { modules: ["/web/pages/ClearPage.tsx"] },
  tag: { modules: ["/web/pages/TagPage.tsx", CACHED], part: "passenger" },
  kiosk: { modules: ["/web/kiosk/KioskRoot.tsx"], part: "kiosk" },
};

/** The page has English from the start. */
const wordsOf = (locale: Locale, part: string | undefined): readonly string[] => [
  ...(locale === FALLBACK ? [] : [`/web/i18n/${locale}/page.json`]),
  ...(part === undefined
    ? []
    : [`/web/i18n/${locale === FALLBACK ? `en-${part}.ts` : `${locale}/${part}.json`}`]),
];

type Handler = Extract<Plugin["generateBundle"], (...args: never) => unknown>;
type Bundle = Parameters<Handler>[1];
type Chunk = Extract<Bundle[string], { type: "chunk" }>;

export function screenDocuments(): Plugin {
  return {
    name: "taglatch:screen-documents",
    apply: "build",
    applyToEnvironment: ({ name }) => name === "client",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const page = bundle["index.html"];
        if (page?.type !== "asset") return;
        const html = String(page.source);
        for (const locale of LOCALES)
          for (const [name, { modules, part }] of Object.entries(SCREENS))
            this.emitFile({
              type: "asset",
              fileName: `screens/${locale}/${name}.html`,
              source: withFiles(html, bundle, [...modules, ...wordsOf(locale, part)]),
            });
      },
    },
  };
}

function withFiles(html: string, bundle: Bundle, modules: readonly string[]): string {
  const all = [...new Set(modules.flatMap((module) => [...imported(bundle, chunkOf(bundle, module))]))];
  const links = [
    ...all.map(({ fileName }) => [fileName, `<link rel="modulepreload" crossorigin href="/${fileName}">`]),
    ...all
      .flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])])
      .map((file) => [file, `<link rel="stylesheet" crossorigin href="/${file}">`]),
  ];
  const missing = links.flatMap(([file = "", link = ""]) => (html.includes(`/${file}"`) ? [] : [link]));
  return html.replace("</head>", `${missing.join("\n  ")}\n  </head>`);
}

function chunkOf(bundle: Bundle, module: string): Chunk {
  for (const output of Object.values(bundle))
    if (output.type === "chunk" && output.facadeModuleId?.endsWith(module)) return output;
  throw new Error(`the build has no chunk for ${module}`);
}

/** The chunk and its static imports, recursively. */
function imported(bundle: Bundle, chunk: Chunk, seen = new Set<Chunk>()): Set<Chunk> {
  if (seen.has(chunk)) return seen;
  seen.add(chunk);
  for (const file of chunk.imports) {
    const next = bundle[file];
    if (next?.type === "chunk") imported(bundle, next, seen);
  }
  return seen;
}
