import { issuerCommands, plateCommands } from "./airlines.ts";
import { auditCommands } from "./audit.ts";
import { bookingCommands } from "./bookings.ts";
import { clientCommands } from "./clients.ts";
import type { Command } from "./command.ts";
import { demoCommands } from "./demo.ts";
import { deviceCommands } from "./devices.ts";
import { doctorCommands } from "./doctor.ts";
import { drillCommands } from "./drills.ts";
import { keyCommands, makerCommands } from "./keys.ts";
import { outcomeCommands } from "./outcomes.ts";
import { reportCommands } from "./report.ts";
import { resealCommands } from "./reseal.ts";
import { revocationCommands, staffCommands } from "./staff.ts";
import { tagCommands } from "./tags.ts";
import { acceptanceCommands, webhookCommands } from "./webhooks.ts";

/** Everything an operator can do, in the order in which a deployment needs it. */
export const COMMANDS: readonly (Command & { readonly name: string })[] = Object.entries<Command>({
  ...keyCommands,
  ...clientCommands,
  ...staffCommands,
  ...issuerCommands,
  ...plateCommands,
  ...makerCommands,
  ...deviceCommands,
  ...tagCommands,
  ...bookingCommands,
  ...webhookCommands,
  ...acceptanceCommands,
  ...reportCommands,
  ...revocationCommands,
  ...resealCommands,
  ...auditCommands,
  ...doctorCommands,
  ...drillCommands,
  ...outcomeCommands,
  ...demoCommands,
}).map(([name, command]) => ({ name, ...command }));

const AT = "--remote --env production";
const SECRETS = "--secrets ~/secure/taglatch.json";

/** Examples of commands whose required options do not say enough; a test reads each as it would be read. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  "keys rotate": ["--file ~/secure/taglatch.json --ring ACCESS_TOKEN_KEYS"],
  "client create": [
    `${AT} ${SECRETS} --id client-kiosk --name "Kiosks" --login b2b --airline XX --origin https://tags.example.com`,
    `${AT} ${SECRETS} --id dcs --name "Departure control" --login b2b --airline XX --scope journey:write --scope audit:read`,
  ],
  "client set": [
    `${AT} --id client-passenger --origin https://tags.example.com --origin https://www.example.com`,
  ],
  "client flags": [`${AT} --id client-passenger --flag requireDpop --flag requireApprovedContent`],
  "issuer add": [
    `${AT} --issuer https://id.example.com --audience taglatch --jwks-url https://id.example.com/jwks.json`,
  ],
  "maker tag": ["--dir ~/secure/maker --id acme-0001 --csr acme-0001.csr --out certificates"],
  "devices import": [`${AT} --file tags.csv --tag-root ~/secure/tag-ca.pem`],
  "devices list": [`${AT} --locked --after ebt-21-0100`],
  "booking erase": [`${AT} ${SECRETS} --locator ABC123 --surname Lovelace --yes`],
  "webhook scope": [`${AT} --id dcs --scope baggage:message`, `${AT} --id dcs`],
  "webhook replay": [`${AT} --id dcs`, `${AT} --id dcs --from 2026-05-03T06:00:00Z`],
  "acceptance set": [`${AT} ${SECRETS} --airline XX --url https://dcs.example.com/bags --fallback draw`],
  "report verify": ["--file conformance-EBT-0001.json --tag-root tag-ca.pem"],
  "key revoke": [`${AT} --serial 0123456789abcdef0123456789abcdef`],
  "session end": [`${AT} --client client-kiosk`],
  "data reseal": [`${AT} ${SECRETS}`],
  doctor: [`${AT} ${SECRETS} --url https://tags.example.com`, "--json"],
  outcomes: ["", "--by tag --days 30"],
  "restore drill": [
    "--file schema.sql --file data.sql --secrets ~/secure/taglatch.json --env production",
    "--file schema.sql --file data.sql --secrets ~/secure/taglatch.json --env production --locator ABC123 --surname Lovelace",
  ],
};
