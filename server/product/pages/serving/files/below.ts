/** Addresses below a page: `/p/<slug>/<path>`. */

/** A slug, and what is below it: undefined without a slash. */
export function split(asked: string): { slug: string; rest: string | undefined } {
  const at = asked.indexOf('/');
  return at < 0 ? { slug: asked, rest: undefined } : { slug: asked.slice(0, at), rest: asked.slice(at + 1) };
}

/** What is below a page, without the key that its address may have. */
export interface Below {
  rest: string | undefined;
  key?: string;
}

export function takeKey(written: string | undefined): Below {
  if (!written?.startsWith('~')) return { rest: written };
  const [key = '', ...rest] = written.slice(1).split('/');
  return { key, rest: rest.join('/') };
}

/** Whether the rest has no path, whatever the number of slashes. */
export function isEmpty(rest: string | undefined): boolean {
  return rest === undefined || /^\/*$/.test(rest);
}
