import { errors } from "./en-errors.ts";
import { kiosk } from "./en-kiosk.ts";
import { page } from "./en-page.ts";
import { passenger } from "./en-passenger.ts";
import { sim } from "./en-sim.ts";

/** All of English at once, for tests and types; the page itself loads its parts when they are needed. */
export const en = { ...page, errors, kiosk, passenger, sim };
