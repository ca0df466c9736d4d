/** Leads on with a GET, whatever was asked before. */
export function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store', ...headers } });
}

/** Leads to the log in, and from there back to `next`. */
export function toLogin(next: string): Response {
  return seeOther(`/login?next=${encodeURIComponent(next)}`);
}
