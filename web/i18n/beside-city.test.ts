import { expect, test } from "vitest";
import { page as japanese } from "./ja.ts";
import { page as chinese } from "./zh.ts";

test("only a Latin city has spaces beside it", () => {
  expect(["Oslo", "オスロ"].map(japanese.journey.title)).toEqual(["Oslo 行き", "オスロ行き"]);
  expect(["Oslo", "奥斯陆"].map(chinese.journey.title)).toEqual(["前往 Oslo", "前往奥斯陆"]);
  expect(chinese.bag.drawing("奥斯陆", "0117")).toBe("前往奥斯陆的行李牌，行李号 0117");
});
