/**
 * What compiled JSX calls instead of `solid-js/web` (vite.config.ts, `moduleName`): the same runtime, with templates
 * that Trusted Types lets through. Its policy is named in the Content-Security-Policy, is kept in this file and is
 * handed nothing but the constants the compiler made of our JSX. Never imported by hand.
 */
import { template as solidTemplate } from "solid-js/web";
import { trustedPolicy } from "./trusted-types.ts";

export * from "solid-js/web";

const policy = trustedPolicy("solid-templates", { createHTML: (constant) => constant });

/** A template element's content, from a constant of the compiler. */
export const template: typeof solidTemplate = (html, ...rest) => solidTemplate(policy.html(html), ...rest);
