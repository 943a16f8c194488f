/**
 * The pseudo-locale: English with accents, 40 % longer, in brackets. Text without brackets cannot be
 * translated; text that overflows its box here will overflow in German.
 */
import type { Pseudo, Words } from "./dictionary.ts";

const PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const ACCENTED = "áƀçđéƒĝĥíĵķĺɱñóƥɋřšŧúṽŵẋýžÁƁÇĐÉƑĜĤÍĴĶĹṀÑÓƤɊŘŠŦÚṼŴẊÝŽ";
const ACCENTS = new Map([...PLAIN].map((letter, i) => [letter, [...ACCENTED][i] ?? letter]));
/** Replaces an argument while the words around it are changed (a private-use character and its number). */
const HOLE = /\uE000\d+\uE001/g;

type Message = (...args: unknown[]) => string;
type Tree = { readonly [key: string]: string | Message | Tree };

/** "Put on tag" → "[Ƥúŧ óñ ŧáĝ····]". */
export function accented(text: string): string {
  const changed = text
    .split(/(\uE000\d+\uE001)/)
    .map((part) =>
      part.startsWith("\uE000") ? part : [...part].map((each) => ACCENTS.get(each) ?? each).join(""),
    )
    .join("");
  const length = text.replace(HOLE, "").length;
  return `[${changed}${"·".repeat(Math.ceil(length * 0.4))}]`;
}

function message(say: Message): Message {
  return (...args) => {
    // A count selects the words, so it must not be changed.
    const text = say(...args.map((value, i) => (typeof value === "number" ? value : `\uE000${i}\uE001`)));
    return accented(text).replace(/\uE000(\d+)\uE001/g, (_hole, i: string) => String(args[Number(i)]));
  };
}

function tree(words: Tree): Tree {
  const change = (value: Tree[string]) => {
    if (typeof value === "string") return accented(value);
    return typeof value === "function" ? message(value) : tree(value);
  };
  return Object.fromEntries(Object.entries(words).map(([key, value]) => [key, change(value)]));
}

export const pseudo: Pseudo = {
  tag: "en-x-pseudo",
  words: (words) => tree(words as unknown as Tree) as unknown as Words,
  text: (text) => `[${text}]`,
};
