/** The settings of a Worker, in the order in which they are looked for. */
export const WORKER_SETTINGS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml'] as const;

/** Characters of such a file. */
export const MAX_WORKER_SETTINGS = 64 * 1024;

/** The behaviour of the runtime that functions get, by the date at which it became the default. */
export const COMPATIBILITY_DATE = '2026-10-01';

/** The name of a binding in `env`. */
export const isBindingName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z_]\w{0,63}$/.test(name);
