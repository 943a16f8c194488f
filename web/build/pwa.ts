import type { VitePWAOptions } from "vite-plugin-pwa";

/** Build-time only. Installable, starts offline; an update waits until somebody says yes, and never during a job. */
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
    description: "Put your bag’s label on an electronic bag tag, straight from this page.",
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
    shortcuts: [{ name: "Clear a tag", url: "/clear" }],
  },
  injectManifest: {
    globPatterns: ["**/*.{html,js,css,svg,png,webmanifest}"],
    // Virtual tags, checks and the barcode reader are not for offline passengers.
    globIgnores: [
      "**/sim-*",
      "**/SimPanel-*",
      "**/conformance-*",
      "**/ConformancePage-*",
      "**/diagnostics-*",
      "**/DiagnosticsPage-*",
      "**/barcode-reader-*",
      // The worker answers every screen with one document.
      "screens/**",
      // The reference at /docs.
      "**/docs.html",
      "**/docs-*",
    ],
  },
};
