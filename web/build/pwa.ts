import type { VitePWAOptions } from "vite-plugin-pwa";

/**
 * Build-time only. The page is installable and starts offline. An update waits until the person agrees, and
 * never comes during a job.
 */
export const pwaOptions: Partial<VitePWAOptions> = {
  registerType: "prompt",
  injectRegister: null,
  strategies: "injectManifest",
  srcDir: "service-worker",
  filename: "sw.ts",
  manifest: {
    id: "/",
    name: "Taglatch",
    short_name: "Taglatch",
    description: "Put your bag label on an electronic bag tag, straight from this page.",
    start_url: "/",
    display: "standalone",
    background_color: "#f5f4f0",
    theme_color: "#f5f4f0",
    categories: ["travel"],
    icons: [
      { src: "/icons/icon-192.png", sizes: "192x192", type: "image/png" },
      { src: "/icons/icon-512.png", sizes: "512x512", type: "image/png" },
      { src: "/icons/maskable-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
      { src: "/icon.svg", sizes: "any", type: "image/svg+xml" },
    ],
    shortcuts: [
      { name: "Write to tag", url: "/t" },
      { name: "Clear a tag", url: "/clear" },
    ],
  },
  // A system that installs the page loads them itself.
  includeManifestIcons: false,
  injectManifest: {
    globPatterns: ["**/*.{html,js,css,svg}"],
    // Offline passengers do not need virtual tags, checks and the barcode reader.
    globIgnores: [
      "**/sim-*",
      "**/SimPanel-*",
      "**/conformance-*",
      "**/ConformancePage-*",
      "**/diagnostics-*",
      "**/DiagnosticsPage-*",
      "**/barcode-reader-*",
      // Nothing is counted offline.
      "**/outcomes-*",
      // The service worker answers every screen with one document.
      "screens/**",
      // Statements are read online.
      "{privacy,accessibility}.html",
      "{documents,tokens}.css",
      // The site at /docs, and the API reference's files.
      "docs.html",
      "docs/**",
      "**/docs-*",
    ],
  },
};
