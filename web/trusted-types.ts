/**
 * Trusted Types (W3C): the page's Content-Security-Policy lets no plain string become markup or the URL of a
 * script. The few places that need one make it here, each under its own name, which the policy header lists.
 * There is no `default` policy: any other use is refused.
 */

interface PolicyFactory {
  createPolicy(
    name: string,
    rules: PolicyRules,
  ): { createHTML(text: string): unknown; createScriptURL(text: string): unknown };
}

export interface PolicyRules {
  readonly createHTML?: (text: string) => string;
  readonly createScriptURL?: (text: string) => string;
}

/**
 * The result of a policy has the string type that the DOM's types ask for; it is an object that only the DOM
 * can read.
 */
export interface Policy {
  readonly html: (text: string) => string;
  readonly scriptUrl: (text: string) => string;
}

/** A named policy; in a browser without Trusted Types, only the rules. */
export function trustedPolicy(name: string, rules: PolicyRules): Policy {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory };
  const policy = trustedTypes?.createPolicy(name, rules);
  const refuse = (): never => {
    throw new TypeError(`the policy ${name} does not make this`);
  };
  return {
    html: (text) => (policy?.createHTML(text) ?? (rules.createHTML ?? refuse)(text)) as string,
    scriptUrl: (text) => (policy?.createScriptURL(text) ?? (rules.createScriptURL ?? refuse)(text)) as string,
  };
}
