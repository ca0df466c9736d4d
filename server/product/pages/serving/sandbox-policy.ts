import type { ServedFrom } from './prepared.ts';

export type Isolation = 'origin' | 'sandbox' | 'trusted';

/** What an address says about where a document is served from. */
export type Where = Exclude<ServedFrom, 'frame'>;

/**
 * Removes a page's script from our origin: no cookies, no storage, no access to us. Windows it opens are not
 * sandboxed, because otherwise nobody could log in there.
 */
export const SANDBOX_TOKENS =
  'allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation';
export const SANDBOX_POLICY = `sandbox ${SANDBOX_TOKENS}`;

interface Sent {
  servedFrom: ServedFrom;
  policy: string | undefined;
}

/** The sandbox policy for each of them, made once because every request needs one. */
const SANDBOXED: Record<ServedFrom, Sent> = {
  base: { servedFrom: 'base', policy: SANDBOX_POLICY },
  key: { servedFrom: 'key', policy: SANDBOX_POLICY },
  'own host': { servedFrom: 'own host', policy: SANDBOX_POLICY },
  frame: { servedFrom: 'frame', policy: SANDBOX_POLICY },
};
const TRUSTED: Record<Where, Sent> = {
  base: { servedFrom: 'base', policy: undefined },
  key: { servedFrom: 'key', policy: undefined },
  'own host': { servedFrom: 'own host', policy: undefined },
};

/** Chooses the policy that a document or file is sent with. `isActive` if browsers run scripts in it. */
export function choosePolicy(isolation: Isolation, request: Request, where: Where, isActive: boolean): Sent {
  if (where !== 'own host') return isolation === 'trusted' ? TRUSTED[where] : SANDBOXED[where];
  return isActive && isForeignFrame(request) ? SANDBOXED.frame : TRUSTED['own host'];
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
