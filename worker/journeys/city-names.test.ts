import { expect, it } from "vitest";
import { Journey, parseBody } from "../../core/api/index.ts";
import { guestSession } from "../test-support/logins.ts";
import { startService } from "../test-support/service.ts";

const HELSINKI = { en: "Helsinki", nb: "Helsingfors" };

/** Ada's journey from a service with these files, with the paths it has read. */
async function adasJourney(file: () => Response) {
  const read: string[] = [];
  const assets = async ({ url }: Request) => {
    const { pathname } = new URL(url);
    if (!pathname.startsWith("/cities/")) return new Response(null, { status: 404 });
    read.push(pathname);
    return file();
  };
  const service = await startService({}, undefined, { assets });
  const guest = await guestSession(service);
  const { body } = await guest.call("journeyFromRecordLocator", {
    recordLocator: "ABC123",
    surname: "LOVELACE",
  });
  return { service, guest, body, read };
}

it("names the city in which a journey ends in every language, read once an isolate", async () => {
  const { guest, body, read } = await adasJourney(() => Response.json({ HEL: HELSINKI }));
  expect(body.destinationNames).toEqual(HELSINKI);
  // What labels show stays the airline's.
  expect(body.destinationCity).toBe("HELSINKI");
  expect(parseBody(Journey, body)).toEqual({ ok: true, value: body });
  expect((await guest.call("journeys")).body.journeys[0].destinationNames).toEqual(HELSINKI);
  expect(read).toEqual(["/cities/H.json"]);
});

it.each([
  ["no such airport", () => Response.json({ HAM: { en: "Hamburg" } })],
  ["no such file", () => new Response(null, { status: 404 })],
])("names none where there is %s", async (_case, file) => {
  const { body } = await adasJourney(file);
  expect(body).not.toHaveProperty("destinationNames");
});

it("answers without names where their file cannot be read, and logs it", async () => {
  const { service, body } = await adasJourney(() => new Response("<!doctype html>"));
  expect(body.recordLocator).toBe("ABC123");
  expect(body).not.toHaveProperty("destinationNames");
  expect(service.log.at(-1)).toMatchObject({ unread: ["destinationNames"] });
});
