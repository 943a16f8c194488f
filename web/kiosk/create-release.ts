import { type Accessor, createSignal, onCleanup } from "solid-js";
import type {
  CustodyHints,
  OperationOptions,
  PickedTag,
  Result,
  Taglatch,
  TaglatchError,
} from "../../sdk/index.ts";
import { createRequest } from "../state/create-request.ts";
import { next, type ReleaseEvent, type ReleaseState } from "./release.ts";

/** Why a lock may be opened. The key itself goes to the audit log. */
export const REASONS = ["stranded", "handover", "rebooked", "fault"] as const;
export type Reason = (typeof REASONS)[number];

export interface Release {
  readonly state: Accessor<ReleaseState>;
  readonly tag: Accessor<PickedTag | undefined>;
  readonly hints: Accessor<CustodyHints | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  /** Opens the chooser: call it from a tap. */
  readonly pick: () => void;
  /** For a tag that is already known. */
  readonly take: (tag: PickedTag) => void;
  readonly open: (reason: Reason) => void;
}

/** Opens the lock of one tag as staff (`POST /v2/lock-releases`). */
export function createRelease(load: () => Promise<Taglatch>): Release {
  const [state, setState] = createSignal<ReleaseState>("ready");
  const [tag, setTag] = createSignal<PickedTag>();
  const [hints, setHints] = createSignal<CustodyHints>();
  const { error, send: ask, end } = createRequest();
  const send = (event: ReleaseEvent) => setState((now) => next(now, event));
  onCleanup(end);

  const request = async <T>(
    call: (client: Taglatch, options: OperationOptions) => Promise<Result<T>>,
    take: (value: T) => void,
  ): Promise<void> => {
    const answered = await ask(async (signal) => call(await load(), { signal }), take);
    if (answered !== "done") send(answered === "over" ? "cancelled" : "failed");
  };

  const look = (picked: PickedTag) => {
    setTag(picked);
    send("picked");
    void request(
      (client, options) => client.tags.lookUp(picked.uniqueDeviceId, options),
      (found) => {
        // Absent where the lock is the caller's own.
        setHints("hints" in found ? found.hints : undefined);
        send(found.locked === true ? "locked" : "unlocked");
      },
    );
  };

  return {
    state,
    tag,
    hints,
    error,
    pick: () => {
      if (next(state(), "pick") === state()) return;
      send("pick");
      void request(pickAndLeave, look);
    },
    take: look,
    open: (reason) => {
      const known = tag();
      if (state() !== "asking" || known === undefined) return;
      send("open");
      void request(
        (client, options) => client.tags.release(known.uniqueDeviceId, reason, options),
        () => void send("opened"),
      );
    },
  };
}

/** Nothing is written here, so the tag is released for others at once. */
async function pickAndLeave(client: Taglatch, options: OperationOptions): Promise<Result<PickedTag>> {
  const picked = await client.pickTag(options);
  if (picked.ok) await client.disconnect(picked.value.deviceId);
  return picked;
}
