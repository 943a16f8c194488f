import { type Accessor, createSignal } from "solid-js";

/** A booking that a link carries; the person has not confirmed it yet. */
export interface LinkedBooking {
  readonly recordLocator: string;
  readonly surname: string;
}

/** What came in the address's fragment, until it is used or its screen is left. */
export interface Arrived {
  /** A host app's traveller: only the screen `/handover` asks whether to use it. */
  readonly token: string | undefined;
  /** Only the screen `/t` asks whether it is theirs. */
  readonly booking: Accessor<LinkedBooking | undefined>;
  readonly dropBooking: () => void;
  /** Another person's code: only the screen `/with` asks whether to use it. */
  readonly code: Accessor<string | undefined>;
  readonly dropCode: () => void;
}

const TOKEN = "#token=";
const BOOKING = "#booking=";
const CODE = /^#([\w-]{22})$/;

/**
 * Takes a token or a booking out of the address before anything else happens: it is not in the history, not in a bookmark,
 * and not there after a reload. A link followed while the page is open does not reload it, and is wiped as well.
 */
export function takeFragment(): Arrived {
  const [booking, setBooking] = createSignal<LinkedBooking>();
  const [code, setCode] = createSignal<string>();
  const take = () => {
    const { hash, pathname, search } = location;
    if (pathname === "/with" && hash !== "") {
      history.replaceState(history.state, "", pathname + search);
      setCode(CODE.exec(hash)?.[1]);
      return undefined;
    }
    const prefix = [TOKEN, BOOKING].find((each) => hash.startsWith(each));
    if (prefix === undefined) return undefined;
    history.replaceState(history.state, "", pathname + search);
    const text = hash.slice(prefix.length);
    if (prefix === BOOKING && isTagScreen(pathname)) setBooking(bookingOf(text));
    return prefix === TOKEN && pathname === "/handover" ? text : undefined;
  };
  const token = take();
  // Before the router reads the new address.
  addEventListener("popstate", take);
  return {
    token,
    booking,
    dropBooking: () => void setBooking(undefined),
    code,
    dropCode: () => void setCode(undefined),
  };
}

const isTagScreen = (pathname: string) => /^\/t(?:\/|$)/.test(pathname);

/** `ABC123/Lovelace`, percent-encoded; undefined for anything that is no booking. */
function bookingOf(text: string): LinkedBooking | undefined {
  try {
    const [, recordLocator, surname] =
      /^([A-Z0-9]{5,8})\/([\p{L}\p{M}][\p{L}\p{M} '’.-]{0,63})$/iu.exec(decodeURIComponent(text)) ?? [];
    return recordLocator && surname ? { recordLocator: recordLocator.toUpperCase(), surname } : undefined;
  } catch {
    // Not percent-encoding.
    return undefined;
  }
}
