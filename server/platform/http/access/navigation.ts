/**
 * Whether a person navigates to this URL, as opposed to a script requesting it. Browsers say so in `Sec-Fetch-Mode`,
 * but only over HTTPS and on localhost. Elsewhere they omit that header and mark navigations with
 * `Upgrade-Insecure-Requests`. A script of a published page could forge that header, but its origin cannot read the
 * response.
 */
export function isNavigation(headers: Headers): boolean {
  const mode = headers.get('sec-fetch-mode');
  return mode === null ? headers.get('upgrade-insecure-requests') === '1' : mode === 'navigate';
}
