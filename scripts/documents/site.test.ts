import { expect, test } from "vitest";
import { projectText } from "../project-files.ts";
import { outward, render, withLinks } from "./markdown.ts";
import { PAGES, site, targetOf } from "./site.ts";

const { texts, copies } = site();
const htmlOf = (markdown: string) => render(markdown).html.trim();

test.each([
  ["## Where roots & keys come from", "where-roots--keys-come-from"],
  ["### `custody_proof_required`", "custody_proof_required"],
  ["## A v2.1 transfer", "a-v21-transfer"],
  ["## [Frames](#x), *cut* and joined", "frames-cut-and-joined"],
  ["## Über <b>", "über-b"],
])("%s has GitHub's anchor", (markdown, anchor) => {
  expect(render(markdown).sections).toMatchObject([{ anchor }]);
  expect(htmlOf(markdown)).toContain(` id="${anchor}">`);
});

test("a title that comes again has another anchor", () => {
  const { sections } = render("## Same\n\n## Same\n\n### Same");
  expect(sections.map(({ anchor }) => anchor)).toEqual(["same", "same-1", "same-2"]);
});

test("code is text, and is scrolled by keyboard", () => {
  expect(htmlOf('```sh\necho "<b>" && exit\n```')).toBe(
    '<pre role="group" aria-label="Code" tabindex="0"><code>echo &quot;&lt;b&gt;&quot; &amp;&amp; exit\n</code></pre>',
  );
  expect(htmlOf("`a<b>`")).toBe("<p><code>a&lt;b&gt;</code></p>");
});

test("a table has headings of columns and of rows, and a bar within code is no cell", () => {
  const html = htmlOf("| name | |\n|---|---|\n| `a\\|b` | [x](https://x.example) |");
  expect(html).toContain('<th scope="col">name</th><td></td>');
  expect(html).toContain(
    '<th scope="row"><code>a|b</code></th><td><a href="https://x.example">x</a></td></tr>',
  );
});

test("markup stays text, comments go, and a link leads out or nowhere", () => {
  expect(htmlOf("<!-- Made by a script. -->\n\nA <script>b</script>")).toBe(
    "<p>A &lt;script&gt;b&lt;/script&gt;</p>",
  );
  expect(htmlOf('[a](javascript:alert) [b](other.md) [c](#d) [e](https://x.example/?"&f)')).toBe(
    '<p>a b <a href="#d">c</a> <a href="https://x.example/?&quot;&amp;f">e</a></p>',
  );
  expect(outward("mailto:a@b.example")).toBe("mailto:a@b.example");
});

test.each([
  ["rules.md#5-the-journey-lock", "docs/embed.md", "/docs/rules#5-the-journey-lock"],
  ["../docs/protocol.md", "kit/README.md", "/docs/protocol"],
  ["../kit/README.md#phones", "docs/protocol.md", "/docs/build-a-tag#phones"],
  ["privacy.md", "docs/dpia.md", "/privacy"],
  ["#frames", "docs/protocol.md", "#frames"],
  ["https://x.example/a.md#b", "docs/protocol.md", "https://x.example/a.md#b"],
])("%s of %s leads to %s", (link, source, href) => {
  expect(targetOf(link, source)).toEqual({ href });
});

test.each([
  ["rules.md#5-the-journey-lock", "docs/embed.md", "/docs/rules.md#5-the-journey-lock"],
  ["../docs/protocol.md", "kit/README.md", "/docs/protocol.md"],
  ["privacy.md", "docs/dpia.md", "/privacy"],
])("%s of %s as Markdown leads to %s", (link, source, href) => {
  expect(targetOf(link, source, ".md")).toEqual({ href });
});

test("in Markdown links and pictures are resolved, code is not", () => {
  const markdown = "![a](b.svg) [c](d.md#e)\n```js\nf[g](h)\n```\n[i](j.md)\n";
  expect(withLinks(markdown, (target) => `/${target}`)).toBe(
    "![a](/b.svg) [c](/d.md#e)\n```js\nf[g](h)\n```\n[i](/j.md)\n",
  );
});

test("what has no page is there as the file that it is, whatever its case", () => {
  expect(targetOf("adr/0023-custody.md#x", "docs/rules.md")).toEqual({
    href: "/docs/adr/0023-custody.md",
    copy: "docs/adr/0023-custody.md",
  });
  expect(targetOf("../SECURITY.md", "docs/security.md").href).toBe("/docs/project/SECURITY.md");
  const paths = [...texts.keys(), ...copies.keys()].map((path) => path.toLowerCase());
  expect(new Set(paths).size).toBe(paths.length);
});

test("a link to a file that is not there fails the build", () => {
  expect(() => targetOf("nothing.md", "docs/rules.md")).toThrow("docs/rules.md links to nothing.md");
});

const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
const OTHERS = ["/", "/docs/api", "/openapi.json", "/privacy", "/accessibility"];

/** Links and pictures of a file of the site that lead to nothing there. */
function deadLinks(path: string, text: string): { links: number; dead: string[] } {
  const links = path.endsWith(".html")
    ? [...text.matchAll(/(?:<a href|<img src)="([^"]+)"/g)]
    : [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/\]\(([^)\s]+)\)/g)];
  const dead = links.flatMap(([, link = ""]) => {
    const [address = "", anchor] = link.split("#");
    if (/^(?:https?|mailto):/.test(link) || OTHERS.includes(address)) return [];
    const target = address === "" ? path : address.slice(1);
    // A page's Markdown has the anchors that its HTML has.
    const html = texts.get(target.replace(/\.md$/, ".html")) ?? texts.get(`${target}.html`);
    const isThere =
      anchor === undefined
        ? (html ?? texts.get(target) ?? copies.get(target))
        : idsIn(html ?? render(texts.get(target) ?? "").html).includes(anchor);
    return isThere ? [] : [link];
  });
  return { links: links.length, dead };
}

test.each([...texts])("%s links to pages, anchors and files that are there", (path, text) => {
  const { links, dead } = deadLinks(path, text);
  expect(dead).toEqual([]);
  if (!path.endsWith(".md")) expect(links).toBeGreaterThan(10);
});

test("the page for contributors, which is not on the site, links to headings that are there", () => {
  const page = projectText("docs/development.md");
  for (const [, path = "", anchor] of page.matchAll(/\]\(([\w./-]+\.md)#([^)]+)\)/g)) {
    const { sections } = render(projectText(`docs/${path}`));
    expect(sections.map((section) => section.anchor)).toContain(anchor);
  }
});

test("every page has one main heading, no script and no style of its own", () => {
  for (const [path, text] of texts) {
    if (!path.endsWith(".html")) continue;
    expect(text.match(/<h1\b/g), path).toHaveLength(1);
    expect(text, path).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    expect(new Set(idsIn(text)).size, path).toBe(idsIn(text).length);
  }
});

test("llms.txt and the index have every page", () => {
  for (const { name } of PAGES) {
    expect(texts.get("llms.txt")).toContain(`](/docs/${name}.md): `);
    expect(texts.get("docs.html")).toContain(`<a href="/docs/${name}">`);
  }
});
