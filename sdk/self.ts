/** What the bundle knows of the page it runs in, from its own script tag. */
export interface Self {
  pageId: number;
  slug: string;
  /** The service's address, where functions are called and people log in. */
  base: string;
  /** Where this page's visitor endpoints are: the host that the bundle came from. */
  api: string;
  /** How calls of this page's endpoints begin: an author may name the page by its id or by its slug. */
  ownCalls: string[];
  /** Given to pages that cannot have a cookie. */
  pageSession: string | undefined;
}

export function readSelf(script: HTMLScriptElement): Self {
  const { pageId, slug = '', base = '', pageSession } = script.dataset;
  // Read before any author's <base> can change what a relative address means.
  const pages = `${new URL(script.src).origin}/api/pages`;
  const ownCalls = [`${pages}/${pageId}/`, `${pages}/${slug}/`];
  return { pageId: Number(pageId), slug, base, api: `${pages}/${pageId}`, ownCalls, pageSession };
}
