import { type Accessor, createSignal, onCleanup } from "solid-js";
import type { OperationOptions, Result, StaffProof, Taglatch, TaglatchError } from "../../sdk/index.ts";
import { createRequest } from "../state/create-request.ts";

/** How staff authenticate: by staff id and PIN, or by user name and password of the shift's account. */
export type Demanded = "pin" | "password";

/** Typed into the dialog. It is passed on and kept nowhere. */
export interface Typed {
  readonly name: string;
  readonly secret: string;
}

export interface StaffGate {
  /** What the open dialog asks for; undefined while none is open. */
  readonly asking: Accessor<Demanded | undefined>;
  readonly working: Accessor<boolean>;
  readonly error: Accessor<TaglatchError | undefined>;
  /** Asks the service what it demands, and opens the dialog. */
  readonly begin: () => Promise<void>;
  readonly answer: (typed: Typed) => Promise<void>;
  readonly cancel: () => void;
}

interface StaffGateOptions {
  readonly demanded: (options: OperationOptions) => Promise<Result<Demanded>>;
  /** Runs the action if `typed` is right. */
  readonly pass: (demanded: Demanded, typed: Typed, options: OperationOptions) => Promise<Result<unknown>>;
  readonly onDone: () => void;
}

/** Authenticates staff before an action that passengers may not take. A failure leaves the dialog open. */
export function createStaffGate({ demanded, pass, onDone }: StaffGateOptions): StaffGate {
  const [asking, setAsking] = createSignal<Demanded>();
  const { working, error, send, end } = createRequest();
  onCleanup(end);
  return {
    asking,
    working,
    error,
    begin: async () => {
      if (!working())
        await send(
          (signal) => demanded({ signal }),
          (value) => void setAsking(value),
        );
    },
    answer: async (typed) => {
      const open = asking();
      if (open === undefined || working()) return;
      await send(
        (signal) => pass(open, typed, { signal }),
        () => {
          setAsking(undefined);
          onDone();
        },
      );
    },
    cancel: () => {
      end();
      setAsking(undefined);
    },
  };
}

export interface ShiftGateOptions {
  readonly load: () => Promise<Taglatch>;
  /** Checks user name and password by signing in with them. */
  readonly signIn: (username: string, password: string) => Promise<Result<unknown>>;
  /** The action behind the gate. It checks `staff`, which is absent where a password was right. */
  readonly act: (
    client: Taglatch,
    staff: StaffProof | undefined,
    options: OperationOptions,
  ) => Promise<Result<unknown>>;
  readonly onDone: () => void;
}

/** The gate during a shift: where the client demands no PIN, the password of an account is asked. */
export function createShiftGate({ load, signIn, act, onDone }: ShiftGateOptions): StaffGate {
  return createStaffGate({
    demanded: async (options) => demandedBy(await (await load()).staff.isPinRequired(options)),
    pass: async (demanded, { name, secret }, options) => {
      const client = await load();
      if (demanded === "pin") return act(client, { id: name, pin: secret }, options);
      const signedIn = await signIn(name, secret);
      return signedIn.ok ? act(client, undefined, options) : signedIn;
    },
    onDone,
  });
}

const demandedBy = (required: Result<boolean>): Result<Demanded> =>
  required.ok ? { ok: true, value: required.value ? "pin" : "password" } : required;
