import { ENVIRONMENTS } from "../deploy/environment-names.ts";
import { type Commands, command, FILE, HASH, oneOf, SERVICE } from "./command.ts";

export const drillCommands = {
  /** The tag's maker is made up for the run, and only its client trusts it. */
  smoke: command({
    summary:
      "sign in at a deployment, write a virtual tag for a test booking and clear it; its rows are deleted again",
    options: {
      url: { ...SERVICE, required: true, help: "the deployment" },
      locator: { value: "text", required: true, help: "record locator of a booking fed for tests" },
      surname: { value: "text", required: true, help: "of its passenger" },
      "client-key": { value: "text", help: "default: that of the deployment's own page" },
    },
    // Loaded here: no other command needs a client and a tag.
    run: async (values, context) => (await import("./smoke-run.ts")).runSmoke(values, context),
  }),
  /** The deployment is not asked. */
  "restore drill": command({
    summary: "import an export on this machine, verify its seals, open its names, serve it; leaves nothing",
    database: "none",
    options: {
      file: {
        ...FILE,
        list: true,
        required: true,
        help: "what `wrangler d1 export` wrote: with --no-data first, with --no-schema then",
      },
      secrets: { ...FILE, required: true, help: "the secrets of the deployment it comes from" },
      env: { ...oneOf(ENVIRONMENTS), help: "whose vars it is served with (default: the top level's)" },
      archive: { value: "folder", help: "ranges of the audit log that have left the database" },
      expect: { ...HASH, help: "`sealed.newest.hash` of the last log line before the export" },
      locator: { value: "text", help: "of a booking fed for tests: writes a virtual tag" },
      surname: { value: "text", help: "of its passenger" },
    },
    // Loaded here: it takes the build and a runtime.
    run: async (values, context) => (await import("./restore-drill-run.ts")).runRestoreDrill(values, context),
  }),
} satisfies Commands;
