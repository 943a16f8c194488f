import type { Page } from "@playwright/test";

/**
 * What people see or hear in the pseudo-locale without brackets: words that cannot be translated. Data are allowed:
 * names, codes, plates, what a tag shows, languages' own names, and what a developer's desk says.
 */
export async function hardCoded(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const DATA =
      ".tag-drawing, bdi, .code, .flight-airport, .flight-number, .flight-pair, .languages-list, body [lang]";
    const ALLOWED =
      /Taglatch|English|EBT-\w+|ebt-[\w-]+|ADA|LOVELACE|Helsinki|Frankfurt|\b(OSL|ARN|HEL|FRA|JFK|UTC|EN|en|SK|SAS|F\d+)\b|[\d\s–—·.,:;/()%•-]+/g;
    const outside = (text: string) => {
      let rest = text;
      for (let before = ""; before !== rest; ) {
        before = rest;
        rest = rest.replace(/\[[^[\]]*\]/g, "");
      }
      return rest.replace(ALLOWED, "").trim();
    };
    const visible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
    const found: string[] = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest(`${DATA}, script, style, noscript`) || !visible(parent)) continue;
      const rest = outside(node.textContent ?? "");
      if (rest !== "") found.push(`text: ${node.textContent}`);
    }
    for (const element of document.body.querySelectorAll("*")) {
      if (element.closest("body [lang]") || !visible(element)) continue;
      for (const name of ["aria-label", "aria-valuetext", "alt", "title", "placeholder"]) {
        const value = element.getAttribute(name) ?? "";
        if (outside(value) !== "") found.push(`${name}: ${value}`);
      }
    }
    if (outside(document.title) !== "") found.push(`document title: ${document.title}`);
    return found;
  });
}
