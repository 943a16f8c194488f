import "fake-indexeddb/auto";
import { afterEach } from "vitest";
import type { GattVersion } from "../../core/gatt/profile.ts";
import { type Authorities, sharedAuthorities } from "../../sdk/test-support/authorities.ts";
import { FakeService } from "../../sdk/test-support/fake-service.ts";
import { appOf, virtualTag } from "../../sdk/test-support/virtual-tag.ts";
import { fakeBluetooth } from "../../sim/radio/fake-bluetooth.ts";
import { realTimeWorld } from "../../sim/real-time-world.ts";
import type { TagSimulator } from "../../sim/tag/tag-simulator.ts";
import type { TagConfig } from "../../sim/tag/tag-types.ts";
import { Air } from "../phone/air.ts";
import { findTag, type RemoteTag, type RemoteTagOptions } from "../phone/remote-tag.ts";
import { type ControllerOptions, VirtualController } from "../phone/virtual-controller.ts";
import { HciTransport } from "../radio/hci-transport.ts";
import { advertise, hostOver } from "../radio/peripheral.ts";

/** One passenger, one service, one tag, and two host stacks over two controllers between them. */

/** Static random addresses: their two highest bits are set. */
export const ADDRESS = { tag: "C0:00:00:00:00:01", central: "C0:00:00:00:00:02" } as const;

export interface OnAirOptions {
  /** The MTU that the central asks for; 23 is that of a central that asks for none. Default 247. */
  readonly mtu?: number;
  readonly controller?: ControllerOptions;
  readonly interval?: number;
  readonly central?: RemoteTagOptions;
}

export interface AttFixtureOptions extends OnAirOptions {
  readonly generation?: GattVersion;
  readonly tag?: Partial<TagConfig>;
}

export type AttFixture = Awaited<ReturnType<typeof attFixture>>;

export async function attFixture(options: AttFixtureOptions = {}) {
  const { generation = "2.1" } = options;
  const { tag, events } = await virtualTag(generation, realTimeWorld(), { displayMs: 10, ...options.tag });
  const air = await onAir(tag, options);
  const { remote } = air;
  return {
    ...passenger(remote, await sharedAuthorities()),
    ...air,
    ...{ tag, events },
    request: { deviceId: `virtual-${remote.id}`, uniqueDeviceId: tag.id, baggageId: 3, journeyId: "j-1" },
  };
}

/** Puts `tag` on the air, as `npm run tag` does, and finds it from another host stack: a central, and everything between them. */
export async function onAir(tag: TagSimulator, options: OnAirOptions = {}) {
  const { mtu = 247, interval = 0 } = options;
  const air = new Air({ interval });
  const controllers = {
    tag: new VirtualController(air, 1, options.controller),
    central: new VirtualController(air, 2, { ...options.controller, mtu }),
  };
  const transport = new HciTransport(controllers.tag.stream);
  const peripheral = await advertise(tag, transport, ADDRESS.tag);
  const centralTransport = new HciTransport(controllers.central.stream);
  const central = await hostOver(centralTransport, ADDRESS.central);
  const remote = await findTag(central, { exchangesMtu: mtu > 23 ? "first" : "never", ...options.central });
  const close = () => {
    peripheral.close();
    centralTransport.close();
  };
  return { air, remote, controllers, peripheral, close };
}

/** A passenger with a page, a service, and `remote` in reach. */
export function passenger(remote: RemoteTag, authorities: Authorities) {
  const service = new FakeService(authorities);
  let choosers = 0;
  const bluetooth = fakeBluetooth([remote], async ([first]) => {
    choosers++;
    return first;
  });
  const client = appOf(service, bluetooth);
  return { service, client, choosers: () => choosers };
}

/** Makes fixtures that end with their test: a stack left running would keep its timers. */
export function openFixtures(): (options?: AttFixtureOptions) => Promise<AttFixture> {
  const open: AttFixture[] = [];
  afterEach(() => {
    for (const fixture of open.splice(0)) fixture.close();
  });
  return async (options) => {
    const fixture = await attFixture(options);
    open.push(fixture);
    return fixture;
  };
}
