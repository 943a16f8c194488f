import { draft, type KioskWords } from "./dictionary.ts";

export const kiosk = draft<KioskWords>({});
