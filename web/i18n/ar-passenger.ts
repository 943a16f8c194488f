import { draft, type PassengerWords } from "./dictionary.ts";

export const passenger = draft<PassengerWords>({});
