import { PASSWORD } from '../../support/http/call.ts';

/** A person with an account, and every kind of credential. */
export interface Person {
  id: number;
  username: string;
  token: string;
  cookie: string;
}

export interface Client {
  baseUrl: string;
  /** Sends JSON and reads JSON. Fails unless the request succeeds. */
  call(method: string, path: string, options?: CallOptions): Promise<Json>;
}

interface CallOptions {
  token?: string;
  cookie?: string;
  json?: unknown;
  headers?: Record<string, string>;
  raw?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Json = any;

export function createClient(baseUrl: string): Client {
  return {
    baseUrl,
    async call(method, path, { token, cookie, json, headers = {}, raw } = {}) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(cookie && { cookie }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
        ...(raw !== undefined && { body: raw }),
      });
      const text = await response.text();
      if (!response.ok)
        throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
      const cookieSet = response.headers.get('set-cookie')?.split(';')[0];
      const body = text.startsWith('{') ? JSON.parse(text) : { text };
      return cookieSet ? { ...body, cookieSet } : body;
    },
  };
}

export async function register(client: Client, username: string): Promise<Person> {
  const json = { username, email: `${username}@example.com`, password: PASSWORD };
  const { userId, accessToken } = await client.call('POST', '/api/auth/register', { json });
  return { id: userId, username, token: accessToken, cookie: await logIn(client, username) };
}

export async function logIn(client: Client, username: string): Promise<string> {
  const { cookieSet } = await client.call('POST', '/api/auth/login', {
    json: { username, password: PASSWORD },
  });
  return cookieSet;
}

export async function tokenFor(client: Client, username: string, scopes?: string[]): Promise<Json> {
  const json = { username, password: PASSWORD, ...(scopes && { scopes }) };
  return client.call('POST', '/api/auth/token', { json });
}
