import { PASSWORD } from './app.ts';

/** Calls a server over its socket, each call on a connection of its own, so that no call meets one from before a crash. */

export interface Reply {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
  headers: Headers;
}

export interface CallOptions {
  body?: unknown;
  token?: string;
  cookie?: string;
  headers?: Record<string, string>;
  timeoutMs?: number;
}

export interface Account {
  username: string;
  token: string;
  refreshToken: string;
}

const TIMEOUT_MS = 15_000;

/** Sends a request; JSON goes in, and JSON or text comes out. */
export async function call(
  server: { port: number },
  method: string,
  path: string,
  options: CallOptions = {},
): Promise<Reply> {
  const headers: Record<string, string> = { ...options.headers };
  if (options.token) headers.authorization = `Bearer ${options.token}`;
  if (options.cookie) headers.cookie = options.cookie;
  if (options.body !== undefined) headers['content-type'] ??= 'application/json';
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers,
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
    keepalive: false,
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

/** Registers an account. */
export async function register(server: { port: number }, username: string): Promise<Account> {
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  const answer = await call(server, 'POST', '/api/auth/register', { body });
  if (answer.status !== 201) throw new Error(`registering failed: ${JSON.stringify(answer.body)}`);
  return { username, token: answer.body.accessToken, refreshToken: answer.body.refreshToken };
}

/** Logs in and returns the cookie. */
export async function login(server: { port: number }, username: string): Promise<string> {
  const answer = await call(server, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
  if (answer.status !== 200) throw new Error(`logging in failed: ${JSON.stringify(answer.body)}`);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Publishes a page. */
export async function publish(
  server: { port: number },
  token: string,
  fields: { name?: string; html_content?: string; storage_mode?: string } = {},
): Promise<{ id: number; slug: string }> {
  const page = { name: 'A page', html_content: '<!doctype html><title>t</title><p>Hello', ...fields };
  const answer = await call(server, 'POST', '/api/pages', { token, body: page });
  if (answer.status !== 201) throw new Error(`publishing failed: ${JSON.stringify(answer.body)}`);
  return answer.body.page;
}
