/** Redirects with a GET, whatever the method of the request was. */
export function seeOther(location: string, headers: Record<string, string> = {}): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store', ...headers } });
}

/** Redirects to the login page, which returns to `next`. */
export function toLogin(next: string): Response {
  return seeOther(`/login?next=${encodeURIComponent(next)}`);
}
