/**
 * Compiled JSX calls this instead of `solid-js/web` (vite.config.ts, `moduleName`): the same runtime, with
 * templates that Trusted Types accepts. Its policy is named in the Content-Security-Policy, stays in this
 * file, and gets only the constants that the compiler made from our JSX. Never imported by hand.
 */
import { template as solidTemplate } from "solid-js/web";
import { trustedPolicy } from "./trusted-types.ts";

export * from "solid-js/web";

const policy = trustedPolicy("solid-templates", { createHTML: (constant) => constant });

/** The content of a template element, from a constant of the compiler. */
export const template: typeof solidTemplate = (html, ...rest) => solidTemplate(policy.html(html), ...rest);
