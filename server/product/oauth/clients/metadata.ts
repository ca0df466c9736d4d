import type { ClientMetadata, OAuthErrorCode } from '../../../../contract/oauth/protocol.ts';
import { displayName } from '../../../lib/display-name.ts';
import { OAuthError } from '../errors.ts';
import { findFault } from '../redirect-uris.ts';
import { isOwnName } from './own-names.ts';

const MAX_NAME_LETTERS = 60;

/** The name of an app, which anyone may have chosen. */
export function readClientName({ client_name = '' }: ClientMetadata, fallback: string): string {
  return displayName(client_name, MAX_NAME_LETTERS) || fallback;
}

/** Fails if people would take the app for a part of this service. */
export function assertNotOurs(name: string, code: OAuthErrorCode): void {
  if (isOwnName(name))
    throw new OAuthError(
      code,
      `The name "${name}" looks like the name of this service. Give the app another name, and register it again.`,
    );
}

/** The addresses that an app can be sent back to. */
export function readRedirectUris({ redirect_uris = [] }: ClientMetadata): string[] {
  for (const uri of redirect_uris) {
    const fault = findFault(uri);
    if (fault) throw new OAuthError('invalid_redirect_uri', `A redirect URI ${fault}.`);
  }
  return [...new Set(redirect_uris)];
}
