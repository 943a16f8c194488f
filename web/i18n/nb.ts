import { draft, type PageWords } from "./dictionary.ts";

export const page = draft<PageWords>({});
