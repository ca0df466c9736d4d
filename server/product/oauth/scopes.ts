import { type AppScope, CALL_SCOPE, FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { OAuthError } from './errors.ts';
import type { Resource } from './resources.ts';

/**
 * Whether a scope is ticked at first: reading is, and what the tools of a page need to work at all. With any other, an
 * app can delete something. Features cost credits only after the person has allowed that for the page.
 */
export function isTicked(scope: AppScope): boolean {
  return scope.endsWith(':read') || scope === CALL_SCOPE || scope === FEATURES_SCOPE;
}

/**
 * The scopes that a client asks for and the resource has; all of them if it names none. Unknown ones are ignored,
 * because many clients always ask for some (`openid`, `offline_access`).
 */
export function wantedScopes(asked: string | undefined, { scopes }: Resource): AppScope[] {
  const named = new Set(asked?.split(' ').filter(Boolean) ?? []);
  // A page without data, features and functions can still be opened as the person.
  if (scopes.length === 0) return [];
  const wanted = named.size === 0 ? [...scopes] : scopes.filter((scope) => named.has(scope));
  if (wanted.length > 0) return wanted;
  throw new OAuthError(
    'invalid_scope',
    `None of these scopes exists here. The scopes are ${scopes.join(', ')}.`,
  );
}
