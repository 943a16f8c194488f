import { expect, test } from "vitest";
import { endSessions, travel } from "./passenger.ts";
import { type Side, toAll, withSides } from "./sides.ts";

test("the floor answers each request of a journey with the status of the service", () =>
  withSides(["service", "floor"], async ([service, floor]) => {
    if (service === undefined || floor === undefined) throw new Error("no sides");
    const send = toAll([service, floor]);
    const between = async () => {
      for (const { server } of [service, floor]) await endSessions(server);
    };
    await travel(service.server, { generation: "2.1", send, between });
    await travel(service.server, { generation: "2.0", send, isTakenOver: true, between });
    const names = ({ took }: Side) => [...new Set(took.map(({ name }) => name))].sort();
    expect(names(floor)).toEqual(names(service));
    expect(names(floor)).toEqual([
      "/.well-known/ebt-configuration",
      "/v2/auth/device-client-certificates",
      "/v2/auth/guest/sessions",
      "/v2/auth/nonces",
      "/v2/device-attachments",
      "/v2/ebt-authorizations, clear",
      "/v2/ebt-authorizations, write",
      "/v2/ebt-custody-proofs",
      "/v2/ebt-lookups",
      "/v2/ebt-unlocks",
      "/v2/journeys",
      "/v2/journeys/from-record-locator",
    ]);
  }));
