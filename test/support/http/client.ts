import { type CallOptions, makeRequest, PASSWORD, readResponse, type TestResponse } from './call.ts';

/** Calls a server over its socket, each call on a new connection, so that none is from before a crash. */

export interface ClientOptions extends CallOptions {
  timeoutMs?: number;
}

export interface Account {
  id: number;
  username: string;
  token: string;
  refreshToken: string;
}

/** Where a server listens. The default is loopback. */
export interface ServerAddress {
  host?: string;
  port: number;
  /** The URL of the service, if it is not localhost. */
  baseUrl?: string;
}

/** Ends a call that hangs. A busy machine can take long. */
const TIMEOUT_MS = 60_000;

/** Sends a request with JSON, and reads JSON or text. */
export async function call(
  server: ServerAddress,
  method: string,
  path: string,
  options: ClientOptions = {},
): Promise<TestResponse> {
  // A node serves its own name only, whatever its address is.
  const { host } = new URL(server.baseUrl ?? `http://localhost:${server.port}`);
  const headers = { host, ...options.headers };
  const response = await fetch(`http://${server.host ?? '127.0.0.1'}:${server.port}${path}`, {
    ...makeRequest(method, { ...options, headers }),
    keepalive: false,
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS),
  });
  return readResponse(response);
}

/** Registers an account. */
export async function register(server: ServerAddress, username: string): Promise<Account> {
  const body = { username, email: `${username}@example.com`, password: PASSWORD };
  const answer = await call(server, 'POST', '/api/auth/register', { body });
  if (answer.status !== 201)
    throw new Error(`registering ${username} failed: ${JSON.stringify(answer.body)}`);
  const { userId: id, accessToken: token, refreshToken } = answer.body;
  return { id, username, token, refreshToken };
}

/** Logs in and returns the cookie. */
export async function login(server: ServerAddress, username: string): Promise<string> {
  const answer = await call(server, 'POST', '/api/auth/login', { body: { username, password: PASSWORD } });
  if (answer.status !== 200) throw new Error(`logging in failed: ${JSON.stringify(answer.body)}`);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Publishes a page. */
export async function publish(
  server: ServerAddress,
  token: string,
  fields: Record<string, unknown> = {},
): Promise<{ id: number; slug: string; url: string }> {
  const page = { name: 'A page', html_content: '<!doctype html><title>t</title><p>Hello', ...fields };
  const answer = await call(server, 'POST', '/api/pages', { token, body: page });
  if (answer.status !== 201) throw new Error(`publishing failed: ${JSON.stringify(answer.body)}`);
  return answer.body.page;
}
