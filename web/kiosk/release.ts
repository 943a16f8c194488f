/** The life of one lock that staff open: a pure table, and radio and service, which drive it. */
import { type Accessor, createSignal, onCleanup } from "solid-js";
import type {
  EbtLockLookupResponse,
  OperationOptions,
  PickedTag,
  Result,
  Taglatch,
  TaglatchError,
} from "../../sdk/index.ts";
import { createRequest } from "../state/create-request.ts";
import { createShiftGate, type ShiftGateOptions, type StaffGate } from "./create-staff-gate.ts";

export const RELEASE_STATES = [
  "ready",
  "picking",
  /** The service is asked whether the tag is locked. */
  "looking",
  "free",
  /** The reason and the proof of staff: the dialog is in create-staff-gate.ts. */
  "asking",
  "done",
  "failed",
] as const;
type ReleaseState = (typeof RELEASE_STATES)[number];

const RELEASE_EVENTS = ["pick", "picked", "cancelled", "locked", "unlocked", "opened", "failed"] as const;
type ReleaseEvent = (typeof RELEASE_EVENTS)[number];

const TABLE: Readonly<Record<ReleaseState, Partial<Record<ReleaseEvent, ReleaseState>>>> = {
  // A job that found a lock hands its tag over: it counts as picked.
  ready: { pick: "picking", picked: "looking" },
  picking: { picked: "looking", cancelled: "ready", failed: "failed" },
  looking: { locked: "asking", unlocked: "free", failed: "failed" },
  free: { pick: "picking" },
  asking: { opened: "done" },
  done: { pick: "picking" },
  failed: { pick: "picking" },
};

/** The state after `event`; an event without a meaning in `state` changes nothing. */
export function next(state: ReleaseState, event: ReleaseEvent): ReleaseState {
  return TABLE[state][event] ?? state;
}

/** Why a lock may be opened. The key itself goes to the audit log. */
export const REASONS = ["stranded", "handover", "rebooked", "fault"] as const;
export type Reason = (typeof REASONS)[number];

export interface Release {
  readonly state: Accessor<ReleaseState>;
  readonly tag: Accessor<PickedTag | undefined>;
  /** What the service says of the tag's lock. */
  readonly lock: Accessor<EbtLockLookupResponse | undefined>;
  readonly error: Accessor<TaglatchError | undefined>;
  /** Opens the chooser: call it from a tap. */
  readonly pick: () => void;
  /** For a tag that is already known. */
  readonly take: (tag: PickedTag) => void;
  /** Authenticates staff, then opens the lock. */
  readonly open: (reason: Reason) => void;
  readonly gate: StaffGate;
}

/** Opens the lock of one tag as staff (`POST /v2/lock-releases`). */
export function createRelease(staff: Pick<ShiftGateOptions, "load" | "signIn">): Release {
  const [state, setState] = createSignal<ReleaseState>("ready");
  const [tag, setTag] = createSignal<PickedTag>();
  const [lock, setLock] = createSignal<EbtLockLookupResponse>();
  const { error, send: ask, end } = createRequest();
  const send = (event: ReleaseEvent) => setState((now) => next(now, event));
  onCleanup(end);

  const request = async <T>(
    call: (client: Taglatch, options: OperationOptions) => Promise<Result<T>>,
    take: (value: T) => void,
  ): Promise<void> => {
    const answered = await ask(async (signal) => call(await staff.load(), { signal }), take);
    if (answered !== "done") send(answered === "over" ? "cancelled" : "failed");
  };

  const look = (picked: PickedTag) => {
    setTag(picked);
    send("picked");
    void request(
      (client, options) => client.tags.lookUp(picked.uniqueDeviceId, options),
      (found) => {
        setLock(found);
        send(found.locked === true ? "locked" : "unlocked");
      },
    );
  };

  const { gate, release } = createReleaseGate(staff, () => void send("opened"));

  return {
    gate,
    state,
    tag,
    lock,
    error,
    pick: () => {
      if (next(state(), "pick") === state()) return;
      send("pick");
      void request(pickAndLeave, look);
    },
    take: look,
    open: (reason) => {
      const known = tag();
      if (state() === "asking" && known) void release(known, reason);
    },
  };
}

/** The call that opens a lock, behind the staff gate. */
function createReleaseGate(staff: Pick<ShiftGateOptions, "load" | "signIn">, onDone: () => void) {
  const [requested, setRequested] = createSignal<readonly [tag: PickedTag, reason: Reason]>();
  const gate = createShiftGate({
    ...staff,
    act: async (client, proof, options) => {
      const [tag, reason] = requested() ?? [];
      if (tag === undefined || reason === undefined) throw new TypeError("no lock to open");
      const { deviceId, uniqueDeviceId } = tag;
      return client.tags.release(uniqueDeviceId, reason, {
        ...options,
        deviceId,
        ...(proof && { staff: proof }),
      });
    },
    onDone,
  });
  const release = (...call: [tag: PickedTag, reason: Reason]) => {
    setRequested(call);
    return gate.begin();
  };
  return { gate, release };
}

/** Nothing is written here, so the tag is released for others at once. */
async function pickAndLeave(client: Taglatch, options: OperationOptions): Promise<Result<PickedTag>> {
  const picked = await client.pickTag(options);
  if (picked.ok) await client.disconnect(picked.value.deviceId);
  return picked;
}
