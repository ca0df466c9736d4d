import type {
  ListedToken,
  NewPersonalToken,
  PersonalToken,
  PersonalTokenList,
} from '../../contract/accounts/accounts.ts';
import type { ConnectedApp, ConnectedAppList } from '../../contract/oauth/connected-apps.ts';
import { api } from '../api.ts';

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
  const options = signal && { signal };
  const [{ apps }, { tokens }] = await Promise.all([
    api.get<ConnectedAppList>('/api/auth/apps', options),
    api.get<PersonalTokenList>('/api/auth/tokens', options),
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

export const createToken = (fields: NewPersonalToken) => api.post<PersonalToken>('/api/auth/tokens', fields);

export const endConnection = ({ kind, id }: Connection) =>
  api.delete(kind === 'app' ? `/api/auth/apps/${id}` : `/api/auth/tokens/${id}`);
