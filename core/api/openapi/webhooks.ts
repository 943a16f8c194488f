import type { BagEventsMessage } from "../audit.ts";
import { BAG_EVENTS } from "../events.ts";
import { EXAMPLES } from "./examples.ts";
import { content } from "./operations.ts";

/** What the service sends by itself (OpenAPI 3.1, `webhooks`), generated from the table of events. */

const [attached] = EXAMPLES.events.response.events;

const EXAMPLE: BagEventsMessage = {
  type: "bag.events",
  timestamp: attached?.at ?? "",
  data: { events: EXAMPLES.events.response.events },
};

const header = (name: string, description: string) => {
  return { name, in: "header", required: true, description, schema: { type: "string" } };
};

const events = Object.entries(BAG_EVENTS).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);

/** `webhooks` of the document: one message, which carries events of every name. */
export const webhooks = () => ({
  "bag.events": {
    post: {
      operationId: "bagEvents",
      tags: ["Audit"],
      summary: "Receive what happens to bags and tags of an airline",
      description: `Sent to the address that the operator has registered, as Standard Webhooks describe
(docs/listen.md). A message may come again: keep each event's \`id\` once.\n\n${events.join("\n")}`,
      security: [],
      parameters: [
        header("webhook-id", "The same whenever this message is sent"),
        header("webhook-timestamp", "When it was sent, in seconds since 1970"),
        header("webhook-signature", "`v1,` and HMAC-SHA-256, base64; several are separated by spaces"),
      ],
      requestBody: { required: true, content: content("BagEventsMessage", EXAMPLE) },
      responses: {
        "2XX": { description: "The events are safe: the next message follows." },
        410: { description: "The service stops sending." },
        default: { description: "The service sends the events again later." },
      },
    },
  },
});
