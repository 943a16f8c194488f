/**
 * `npm run build:kit` makes the checks and the phone without a phone as a maker's build server installs them, in kit/dist: one
 * module with all that it needs but the host stack, and the two Python programs that open lines and adapters.
 */
import { chmodSync, copyFileSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { ROOT } from "../project-files.ts";
import { oneAtATime } from "./one-at-a-time.ts";

const KIT = join(ROOT, "kit");
const DIST = join(KIT, "dist");
const HOST_STACK = "ble-host";
const PROGRAM = join(DIST, "phone.js");

await oneAtATime(join(ROOT, ".wrangler", "build-kit.sqlite"), async () => {
  rmSync(DIST, { recursive: true, force: true });
  await build({
    configFile: false,
    root: ROOT,
    logLevel: "warn",
    publicDir: false,
    // It assigns undeclared variables, which a module may not: it stays CommonJS, in a folder of its own.
    ssr: { noExternal: true, external: [HOST_STACK] },
    build: {
      ssr: join(KIT, "phone", "phone.ts"),
      outDir: DIST,
      target: "node22",
      minify: false,
      license: { fileName: "LICENSES.md" },
      rolldownOptions: {
        output: {
          banner: "#!/usr/bin/env node",
          codeSplitting: false,
          paths: { [HOST_STACK]: `./${HOST_STACK}/lib/index.js` },
        },
      },
    },
  });
  cpSync(join(ROOT, "node_modules", HOST_STACK), join(DIST, HOST_STACK), { recursive: true });
  for (const program of ["phone/pty.py", "radio/hci_bridge.py"])
    copyFileSync(join(KIT, program), join(DIST, program.split("/").at(-1) ?? ""));
  chmodSync(PROGRAM, 0o755);
});
