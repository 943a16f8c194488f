/** How long the tag may take to advertise once it was named, milliseconds. */
const PATIENCE = 30_000;

/**
 * Answers the page's `requestDevice` with the tag that staff name, instead of Chromium's list. Electron reports
 * `select-bluetooth-device` again with every device that it finds, until one report's callback is called: with a device's id,
 * or with "" to close the chooser.
 *
 * @param askStaff resolves to what was typed or scanned, or null where staff gave up
 */
export function answerChooser(webContents, askStaff, patience = PATIENCE) {
  /** The chooser that is open. */
  let current;

  const answer = (chooser, deviceId) => {
    clearTimeout(chooser.timer);
    current = undefined;
    chooser.callback(deviceId);
  };
  const look = (chooser) => {
    const named = chooser.devices.filter(({ deviceName }) => deviceName.toLowerCase() === chooser.name);
    // Two tags may share a name: then neither is taken, until one is out of reach or the time is over.
    if (named.length === 1) answer(chooser, named[0].deviceId);
  };
  const begin = async () => {
    const chooser = { devices: [], callback: () => undefined, name: undefined, timer: undefined };
    current = chooser;
    const text = await askStaff().catch(() => null);
    if (text === null) return answer(chooser, "");
    chooser.name = nameOf(text).toLowerCase();
    chooser.timer = setTimeout(() => answer(chooser, ""), patience);
    look(chooser);
  };

  webContents.on("select-bluetooth-device", (event, devices, callback) => {
    // Otherwise Electron takes the first device.
    event.preventDefault();
    if (current === undefined) void begin();
    Object.assign(current, { devices, callback });
    look(current);
  });
}

/** `EBT-0001` of that name, of its last four characters, of the tag's id, and of the address in its QR code. */
export function nameOf(text) {
  const id =
    text
      .trim()
      .replace(/[?#].*$/, "")
      .replace(/\/$/, "")
      .split("/")
      .at(-1) ?? "";
  return `EBT-${id.slice(-4)}`;
}
