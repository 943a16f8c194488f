import { expect, test } from "vitest";
import { toBoth, withBoth } from "./floor-sides.ts";
import { endSessions, travel } from "./passenger.ts";

test("the floor answers each request of a journey with the status of the service", () =>
  withBoth(async (service, floor) => {
    const paths = new Set<string>();
    const send = toBoth(service, floor, (_, name) => paths.add(name));
    const between = async () => {
      for (const { server } of [service, floor]) await endSessions(server);
    };
    await travel(service.server, { generation: "2.1", send, between });
    await travel(service.server, { generation: "2.0", send, isTakenOver: true, between });
    expect([...paths].sort()).toEqual([
      "/v2/auth/device-client-certificates",
      "/v2/auth/guest/sessions",
      "/v2/auth/nonces",
      "/v2/auth/refresh",
      "/v2/device-attachments",
      "/v2/ebt-authorizations, clear",
      "/v2/ebt-authorizations, write",
      "/v2/ebt-custody-proofs",
      "/v2/ebt-lookups",
      "/v2/ebt-unlocks",
      "/v2/journeys",
      "/v2/journeys/from-record-locator",
      "/v2/journeys/{journeyId}",
    ]);
  }));
