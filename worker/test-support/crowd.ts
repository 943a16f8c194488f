import { vi } from "vitest";
import { sessions } from "../../db/schema.ts";
import { signAccessToken } from "../auth/authenticate.ts";
import type { RequestContext } from "../context.ts";
import { guestSession, sessionOf, type TestSession } from "./logins.ts";
import { lastSession } from "./rows.ts";
import type { TestService } from "./service.ts";

/**
 * Makes many guests, each another person, with sessions as a login leaves them. Only one logs in. The rows and tokens of
 * the others are copied from that login, because a test of a crowd is not about logins.
 */
export async function crowdOfGuests(service: TestService, size: number): Promise<readonly TestSession[]> {
  const first = await guestSession(service);
  const row = await lastSession(service);
  const others = Array.from({ length: size - 1 }, (_, i) => {
    const number = String(i).padStart(4, "0");
    return { ...row, id: row.id.slice(0, -4) + number, sub: row.sub.slice(0, -4) + number };
  });
  const [head, ...tail] = others.map((other) => service.db.insert(sessions).values(other));
  if (head !== undefined) await service.db.batch([head, ...tail]);
  const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));
  const ctx = { settings: service.settings, now: service.now(), random } as unknown as RequestContext;
  const made = others.map(async (other) =>
    sessionOf(service, { ...first, accessToken: await signAccessToken(ctx, other) }),
  );
  return [first, ...(await Promise.all(made))];
}

/**
 * Sends requests at once. The clock of the machine stands while they run: a busy one takes longer than a request may go on
 * deciding again (`transact`).
 */
export function atOnce<T>(send: () => readonly Promise<T>[]): Promise<T[]> {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  return Promise.all(send()).finally(() => clock.mockRestore());
}
