import { draft, type ErrorWords } from "./dictionary.ts";

export const errors = draft<ErrorWords>({});
