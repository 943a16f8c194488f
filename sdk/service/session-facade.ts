/** The session as hosts see it: results instead of exceptions, and a log-out that loses no work. */

import type { PasskeyRequest, SessionApi } from "../api.ts";
import { OperationError } from "../errors.ts";
import { asResult } from "../flows/operation.ts";
import type { Outbox } from "../outbox.ts";
import type { SessionRecord } from "../storage.ts";
import type { AttestationChallenge, OperationOptions, Result, SessionState } from "../types.ts";
import type { LoadedJourneys } from "./journeys.ts";
import type { Logins } from "./logins.ts";
import type { PasskeyEvidence } from "./passkey-login.ts";
import type { Session, SessionRecords } from "./session.ts";

interface SessionParts {
  readonly session: Session;
  readonly records: SessionRecords;
  readonly logins: Logins;
  readonly outbox: Outbox;
  readonly journeys: LoadedJourneys;
  readonly passkey: (request: PasskeyRequest, signal: AbortSignal) => Promise<PasskeyEvidence>;
  readonly prepare: (signal: AbortSignal) => Promise<unknown>;
}

export function sessionFacade(parts: SessionParts): SessionApi {
  const { session, records, logins, outbox, journeys, passkey, prepare } = parts;
  const login = (
    options: OperationOptions | undefined,
    open: (signal: AbortSignal) => Promise<SessionRecord>,
  ): Promise<Result<SessionState>> =>
    asResult(options, async (signal) => {
      await session.open(() => open(signal));
      // They may be another person's.
      journeys.forget();
      return records.state();
    });
  return {
    state: () => records.state(),
    subscribe: (listener) => records.subscribe(listener),
    loginGuest: (options) => login(options, (signal) => logins.guest(session, signal)),
    loginFederated: (token, options) => login(options, (signal) => logins.federated(session, token, signal)),
    loginAttested: (email, evidence, options) =>
      login(options, (signal) =>
        logins.attested(session, async (about) => ({ email, evidence: await evidence(about) }), signal),
      ),
    loginWithPasskey: (request, options) =>
      login(options, async (signal) => {
        const { email } = request;
        const { make, remember } = await passkey(request, signal);
        const evidence = async (about: AttestationChallenge) => ({ email, evidence: await make(about) });
        const record = await logins.attested(session, evidence, signal);
        await remember();
        return record;
      }),
    loginB2B: (credentials, options) => login(options, (signal) => logins.b2b(session, credentials, signal)),
    logout: (options = {}) =>
      asResult(options, (signal) => logout(session, outbox, options.force ?? false, signal)),
    prepare: ({ certificate = true, ...options } = {}) =>
      asResult(options, async (signal) => {
        await (certificate ? prepare(signal) : session.grant(signal));
      }),
  };
}

async function logout(session: Session, outbox: Outbox, force: boolean, signal: AbortSignal): Promise<void> {
  const waiting = (await outbox.entries()).length;
  const { left, asking } = waiting === 0 ? { left: 0, asking: 0 } : await outbox.flush(signal);
  if (left + asking > 0 && !force)
    throw new OperationError("outbox_not_empty", "a tag is still to be reported to the service");
  if (!force) return session.logout(signal);
  // With `force` the person is logged out even if the service cannot be reached.
  await session.logout(signal).catch(() => session.forget());
}
