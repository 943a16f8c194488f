import type { Theme } from "../../core/api/index.ts";

/**
 * A document under the airline's name and icon: browsers show both before a script runs. Other documents are as the build
 * made them.
 */
export function branded(document: Response, theme: Theme = {}): Response {
  const { name, icon } = theme;
  if (name === undefined && icon === undefined) return document;
  const rewriter = new HTMLRewriter();
  if (name !== undefined) rewriter.on("title", { element: (title) => void title.setInnerContent(name) });
  if (icon !== undefined) {
    const isPng = icon.endsWith(".png");
    rewriter
      .on("link[rel=icon]", {
        element: (link) => {
          link.setAttribute("href", icon);
          if (isPng) link.setAttribute("type", "image/png");
        },
      })
      // Apple's devices take no SVG.
      .on("link[rel=apple-touch-icon]", {
        element: (link) => void (isPng ? link.setAttribute("href", icon) : link.remove()),
      });
  }
  const answer = rewriter.transform(new Response(document.body, document));
  // It is of the build's text.
  answer.headers.delete("ETag");
  return answer;
}
