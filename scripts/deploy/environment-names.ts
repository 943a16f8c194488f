/** The environments of wrangler.toml. One build serves all of them; what differs is what it is bound to. */
export const ENVIRONMENTS = ["staging", "production"] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

export const isEnvironment = (name: string | undefined): name is Environment =>
  ENVIRONMENTS.some((known) => known === name);
