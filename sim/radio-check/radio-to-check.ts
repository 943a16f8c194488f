/**
 * What a client asks of a radio, as the SDK documents it for `TagRadio`: written down a second time, because virtual tags share
 * nothing with the SDK. Errors are recognised by their `code`.
 */
import type { Bytes } from "../../core/encoding/bytes.ts";

export interface ConnectionToCheck {
  readonly open: boolean;
  readonly openedAt: number;
  has(uuid: string): boolean;
  properties(uuid: string): PropertiesToCheck | undefined;
  read(uuid: string, signal: AbortSignal): Promise<Bytes>;
  write(uuid: string, value: Bytes, signal: AbortSignal, goesOn?: boolean): Promise<void>;
  sparesResponses?(uuid: string): boolean;
  close(): void;
}

export interface PropertiesToCheck {
  readonly read: boolean;
  readonly write: boolean;
  readonly writeWithoutResponse?: boolean;
  readonly notify: boolean;
}

export interface LinkToCheck {
  readonly deviceId: string;
  readonly name: string;
  connect(signal: AbortSignal, onRetry: () => void): Promise<ConnectionToCheck>;
}

/** The SDK's `TagRadio`. */
export interface RadioToCheck {
  choose(uniqueDeviceId: string | undefined, signal: AbortSignal): Promise<LinkToCheck>;
  find(deviceId: string): Promise<LinkToCheck | undefined>;
  remembered(): Promise<readonly LinkToCheck[]>;
}
