/** Why there is no radio, or no longer one. */
export type RadioErrorCode =
  /** This machine's kernel knows no Bluetooth. */
  | "no_bluetooth"
  /** No adapter or serial line of this name. */
  | "no_adapter"
  /** The adapter belongs to the system's Bluetooth service, or the line to another program of ours. */
  | "in_use"
  /** Only root may open an adapter past the system's Bluetooth service. */
  | "no_permission"
  /** `sudo` started nothing: a wrong password, a user who may not use it, or no sudo at all. */
  | "no_root"
  /** Python 3, which opens adapters and serial lines, is missing. */
  | "no_python"
  /** The controller speaks something else than H4, or reported a hardware error. */
  | "controller_failed"
  /** The adapter was unplugged, or the line closed. */
  | "lost";

/** A radio that cannot be had or has gone. The `cause` is for the log. */
export class RadioError extends Error {
  override readonly name = "RadioError";
  readonly code: RadioErrorCode;
  constructor(code: RadioErrorCode, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}
