/**
 * Whether a person goes to an address, rather than a script asking for it. Browsers say so in `Sec-Fetch-Mode`, but only
 * over HTTPS and on localhost; on other plain networks, where they send no such header at all, they mark navigations
 * with `Upgrade-Insecure-Requests`. A script of a published page could forge that one, and would gain an answer that its
 * origin may not read.
 */
export function isNavigation(headers: Headers): boolean {
  const mode = headers.get('sec-fetch-mode');
  return mode === null ? headers.get('upgrade-insecure-requests') === '1' : mode === 'navigate';
}
