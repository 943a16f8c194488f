import type { Command } from "./command.ts";
import { SERVICE } from "./options.ts";

/**
 * `smoke`: a passenger's whole way against a deployment, with a virtual tag: sign in, load a booking, put its first bag on
 * the tag, clear the tag. The tag's maker is made up for this run, and only this client trusts it.
 */
export const smoke: Command = {
  name: "smoke",
  summary:
    "sign in at a deployment, write a virtual tag for a test booking and clear it; its rows are deleted again",
  database: "read",
  options: {
    url: { ...SERVICE, required: true, help: "the deployment" },
    locator: { value: "text", required: true, help: "record locator of a booking fed for tests" },
    surname: { value: "text", required: true, help: "of its passenger" },
    "client-key": { value: "text", help: "default: that of the deployment's own page" },
  },
  async run(input) {
    // Loaded here: no other command needs a client and a tag.
    await (await import("./smoke-run.ts")).runSmoke(input);
  },
};
