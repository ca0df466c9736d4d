import type { ListedToken, NewPersonalToken, PersonalToken } from '../../contract/accounts/accounts.ts';
import { tokenEndpoints } from '../../contract/accounts/token-endpoints.ts';
import type { ConnectedApp } from '../../contract/oauth/connected-apps.ts';
import { oauthEndpoints } from '../../contract/oauth/endpoints.ts';
import { call } from '../api.ts';

/** The endpoints of the connect screen. */

export type { PersonalToken };

/** A program that can use the account: an app that the person allowed, or what has one of their tokens. */
export type Connection =
  | { kind: 'app'; id: number; name: string; lastUsedAt: string | null; scopes: string[]; app: ConnectedApp }
  | {
      kind: 'token';
      id: number;
      name: string;
      lastUsedAt: string | null;
      scopes: string[];
      token: ListedToken;
    };

/** All connections, last used first. */
export async function listConnections(signal?: AbortSignal): Promise<Connection[]> {
  const [{ apps }, { tokens }] = await Promise.all([
    call(oauthEndpoints.listConnectedApps, { signal }),
    call(tokenEndpoints.listPersonalTokens, { signal }),
  ]);
  const all: Connection[] = [
    ...apps.map((app) => ({
      kind: 'app' as const,
      id: app.id,
      name: app.name,
      lastUsedAt: app.lastUsedAt,
      scopes: app.scopes,
      app,
    })),
    ...tokens.map((token) => ({
      kind: 'token' as const,
      id: token.id,
      name: token.name,
      lastUsedAt: token.lastUsedAt,
      scopes: token.scopes,
      token,
    })),
  ];
  return all.sort((one, other) => (other.lastUsedAt ?? '').localeCompare(one.lastUsedAt ?? ''));
}

export const createToken = (body: NewPersonalToken) => call(tokenEndpoints.createPersonalToken, { body });

export const endConnection = ({ kind, id }: Connection) =>
  call(kind === 'app' ? oauthEndpoints.disconnectApp : tokenEndpoints.deletePersonalToken, {
    params: { id },
  });
