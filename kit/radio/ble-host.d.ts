/** What we use of `ble-host`, which comes without types (docs/adr/README.md). */
declare module "ble-host" {
  import type { EventEmitter } from "node:events";

  /** Whole HCI packets in both directions, each with its packet type in front. */
  interface Transport extends EventEmitter {
    write(packet: Buffer): void;
  }

  interface Connection extends EventEmitter {
    readonly gatt: GattClient;
    readonly smp: EventEmitter & {
      sendPairingFailed(reason: number): void;
      sendPairingRequest(request: object): void;
    };
    disconnect(): void;
    /** As a peripheral it asks the central, as a central it asks its controller. */
    updateConnParams(parameters: ConnectionParameters): void;
  }

  /** Intervals in units of 1.25 ms, the time-out in units of 10 ms. */
  interface ConnectionParameters {
    readonly connIntervalMin: number;
    readonly connIntervalMax: number;
    readonly connLatency: number;
    readonly supervisionTimeout: number;
  }

  type Done = (error: number) => void;

  interface ServedCharacteristic {
    readonly uuid: string;
    readonly properties: readonly ("read" | "write" | "write-without-response" | "notify")[];
    readonly maxLength: number;
    readonly onPartialRead?: (
      connection: Connection,
      offset: number,
      answer: (error: number, value?: Buffer) => void,
    ) => void;
    readonly onWrite?: (connection: Connection, needsResponse: boolean, value: Buffer, answer: Done) => void;
    readonly onSubscriptionChange?: (connection: Connection, notification: boolean) => void;
    /** Put there by the library. */
    notify?(connection: Connection, value: Buffer): boolean;
  }

  interface ServedService {
    readonly uuid: string;
    readonly characteristics: ServedCharacteristic[];
  }

  interface FoundCharacteristic extends EventEmitter {
    readonly uuid: string;
    readonly properties: Readonly<Record<"read" | "write" | "writeWithoutResponse" | "notify", boolean>>;
    /** Read, then Read Blob while the values are as long as the MTU allows. */
    read(done: (error: number, value: Buffer) => void): void;
    readLong(offset: number, done: (error: number, value: Buffer) => void): void;
    /** Prepare and Execute Write where the value is longer than one packet. */
    write(value: Buffer, done: Done): void;
    writeWithoutResponse(value: Buffer, sent: () => void): void;
    writeCCCD(notifications: boolean, indications: boolean, done: Done): void;
  }

  interface FoundService {
    readonly uuid: string;
    discoverCharacteristics(done: (found: FoundCharacteristic[]) => void): void;
  }

  interface GattClient {
    readonly currentMtu: number;
    exchangeMtu(done: Done): void;
    discoverAllPrimaryServices(done: (found: FoundService[]) => void): void;
  }

  interface AdvertisingReport {
    readonly addressType: "public" | "random";
    readonly address: string;
    readonly parsedDataItems: { readonly localName?: string; readonly serviceUuids?: readonly string[] };
  }

  interface Manager extends EventEmitter {
    readonly gattDb: { setDeviceName(name: string): void; addServices(services: ServedService[]): void };
    setAdvertisingData(data: Buffer): void;
    setScanResponseData(data: Buffer): void;
    startAdvertising(parameters: object, connected: (status: number, connection: Connection) => void): void;
    startScan(parameters: { readonly scanFilters?: readonly object[] }): EventEmitter & { stopScan(): void };
    connect(
      addressType: string,
      address: string,
      parameters: object,
      connected: (connection: Connection) => void,
    ): { cancel(done?: () => void): void };
  }

  const bleHost: {
    readonly BleManager: {
      create(
        transport: Transport,
        options: { readonly staticRandomAddress?: string },
        done: (error: Error | null, manager: Manager) => void,
      ): void;
      readonly ServiceUUIDScanFilter: new (uuid: string) => object;
    };
    readonly AdvertisingDataBuilder: new () => {
      addFlags(flags: readonly string[]): unknown;
      addLocalName(isComplete: boolean, name: string): unknown;
      add128BitServiceUUIDs(isComplete: boolean, uuids: readonly string[]): unknown;
      build(): Buffer;
    };
    readonly AttErrors: Readonly<Record<string, number>>;
  };
  export default bleHost;
  export type {
    AdvertisingReport,
    Connection,
    ConnectionParameters,
    FoundCharacteristic,
    FoundService,
    GattClient,
    Manager,
    ServedCharacteristic,
    ServedService,
    Transport,
  };
}
