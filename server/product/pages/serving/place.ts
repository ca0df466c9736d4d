import type { Place } from './prepared.ts';

export type Isolation = 'origin' | 'sandbox' | 'trusted';

/** What an address says about the place. */
export type Where = Exclude<Place, 'frame'>;

/**
 * Removes a page's script from our origin: no cookies, no storage, no access to us. Windows it opens are not
 * sandboxed, because otherwise nobody could log in there.
 */
export const SANDBOX_POLICY =
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';

/** How something of a page is sent: `isActive` if browsers run scripts in it. */
export function placeOf(
  isolation: Isolation,
  request: Request,
  where: Where,
  isActive: boolean,
): { place: Place; policy: string | undefined } {
  if (where !== 'own host')
    return { place: where, policy: isolation === 'trusted' ? undefined : SANDBOX_POLICY };
  return isActive && isForeignFrame(request)
    ? { place: 'frame', policy: SANDBOX_POLICY }
    : { place: 'own host', policy: undefined };
}

/**
 * On its own host a page can do anything, except be framed by others: browsers treat neighbouring pages as the same
 * site and would send them its visitor's cookie, and they could make the visitor click on something invisible.
 */
function isForeignFrame({ headers }: Request): boolean {
  const destination = headers.get('sec-fetch-dest');
  if (destination === null || destination === 'document' || destination === 'empty') return false;
  return headers.get('sec-fetch-site') !== 'same-origin';
}
