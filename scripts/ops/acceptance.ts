import { eq } from "drizzle-orm";
import { type AcceptanceFallback, acceptanceHosts } from "../../db/schema.ts";
import { WordsError } from "../../kit/command-line.ts";
import { addressFault } from "../../worker/webhooks/address.ts";
import { AIRLINE, type Commands, listing, oneOf, requireFound } from "./command.ts";
import { sealNewSecret } from "./webhooks.ts";

/** `acceptance …`: airlines' own hosts, asked before a bag gets its plate (docs/acceptance.md). */

const FALLBACKS: readonly AcceptanceFallback[] = ["refuse", "draw"];
const WHOSE = { airline: { ...AIRLINE, required: true, help: "whose host it is" } } as const;

export const acceptanceCommands = {
  "acceptance set": {
    summary:
      "ask an airline's host before a bag gets its plate; the secret is shown once, and one before signs beside it for a day",
    database: "read",
    options: {
      ...WHOSE,
      url: { value: "url", required: true, help: "https, a public host, port 443" },
      fallback: {
        ...oneOf(FALLBACKS),
        help: "a bag for which the host gives no answer: refuse it (default), or draw a plate of the range",
      },
    },
    async run(input) {
      const { one, maybe, db, isRemote, print } = input;
      const [airline, url] = [one("airline"), one("url")];
      const fault = addressFault(url, { isDevelopment: !isRemote });
      if (fault !== undefined) throw new WordsError(`--url ${fault}`);
      const [before] = await db.select().from(acceptanceHosts).where(eq(acceptanceHosts.airline, airline));
      const place = { field: "acceptance-secret", id: airline } as const;
      const { secretSealed, show } = await sealNewSecret(input, place, before?.secretSealed);
      const row = { url, fallback: (maybe("fallback") ?? "refuse") as AcceptanceFallback, secretSealed };
      await db
        .insert(acceptanceHosts)
        .values({ airline, ...row })
        .onConflictDoUpdate({ target: acceptanceHosts.airline, set: row });
      print(`acceptance ${airline}: ${row.fallback}`);
      show();
    },
  },
  "acceptance show": listing(
    "show the airlines that have a host; their secrets are not shown again",
    acceptanceHosts,
    [acceptanceHosts.airline],
    ({ airline, url, fallback }) => ({ airline, url, fallback }),
  ),
  "acceptance remove": {
    summary: "ask an airline's host no more: its bags get plates of its range again",
    database: "write",
    options: WHOSE,
    async run(input) {
      const airline = input.one("airline");
      const gone = await input.db
        .delete(acceptanceHosts)
        .where(eq(acceptanceHosts.airline, airline))
        .returning({ airline: acceptanceHosts.airline });
      requireFound(input, gone, `host of ${airline}`);
      input.print(`acceptance ${airline}: removed`);
    },
  },
} satisfies Commands;
