/** The page that the bundle runs in, read from its own script tag. */
export interface Self {
  pageId: number;
  slug: string;
  /** The URL of the service, for logging in. */
  base: string;
  /** The URL of the page's own endpoints, on the host that the bundle came from. */
  api: string;
  /** The URL below which functions are called, on the same host. */
  functions: string;
  /** The URL of the page's MCP server, on the same host. */
  agent: string;
  /** The URL of the folder that the bundle came from. */
  scripts: string;
  /** Prefixes of endpoints that learn who the visitor is: an author can use the id or the slug of the page. */
  ownCalls: string[];
  /** True in the editor and in drafts: nobody but the author sees it. */
  isPreview: boolean;
  /** True if the owner lets errors be repaired: reports say what led to them. */
  isRepaired: boolean;
  /** Set on pages that cannot have a cookie. */
  pageSession: string | undefined;
  /** Set on pages that cannot have a cookie if the visitor gave the page's password. */
  pagePass: string | undefined;
}

export function readSelf(script: HTMLScriptElement): Self {
  const { pageId, slug = '', base = '', pageSession, pagePass, preview, repair } = script.dataset;
  // Read now, before an author's <base> element changes relative URLs.
  const { origin } = new URL(script.src);
  const pages = `${origin}/api/pages`;
  // A page's own host has its MCP server at the top.
  const agent = origin === base ? `${origin}/p/${pageId}/mcp` : `${origin}/mcp`;
  const functions = `${origin}/api/functions/`;
  const ownCalls = [`${pages}/${pageId}/`, `${pages}/${slug}/`, agent, functions];
  const api = `${pages}/${pageId}`;
  const scripts = `${origin}/sdk`;
  return {
    pageId: Number(pageId),
    slug,
    base,
    api,
    functions,
    agent,
    scripts,
    ownCalls,
    isPreview: preview !== undefined || location.pathname.includes('/~preview/'),
    isRepaired: repair !== undefined,
    pageSession,
    pagePass,
  };
}
