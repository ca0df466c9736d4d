import type { TestApp, TestUser } from '../app.ts';
import { readResponse, type TestResponse } from '../http/call.ts';
import { logInAtProvider } from './oidc-provider.ts';

/** A browser without a window, at the service: it keeps cookies, and marks navigations as browsers do. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  readonly #app: TestApp;

  constructor(app: TestApp) {
    this.#app = app;
  }

  async logIn(user: TestUser): Promise<void> {
    const [name = '', value = ''] = (await user.login()).split('=');
    this.cookies.set(name, value);
  }

  /** Opens a page. */
  async open(path: string): Promise<Response> {
    return this.#send(path, { headers: { 'sec-fetch-mode': 'navigate' } });
  }

  /** Sends a form of a page of the service. */
  async submit(path: string, form: Record<string, string>): Promise<Response> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { origin: this.#app.baseUrl, 'sec-fetch-site': 'same-origin' },
    });
  }

  /** Calls the API as the dashboard does. */
  async call(method: string, path: string, body?: unknown): Promise<TestResponse> {
    const response = await this.#send(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { origin: this.#app.baseUrl, 'content-type': 'application/json' },
    });
    return readResponse(response);
  }

  /** The name of the user who is logged in here, if any. */
  async username(): Promise<string | undefined> {
    const { status, body } = await this.call('GET', '/api/auth/me');
    return status === 200 ? body.user.username : undefined;
  }

  async #send(path: string, init: Parameters<TestApp['request']>[1] = {}): Promise<Response> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#app.request(path, { ...init, headers: { ...init.headers, cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    return response;
  }
}

/** Where a response leads to. */
export function leadsTo(response: Response): string {
  return response.headers.get('location') ?? '';
}

/** Goes to the provider, logs in there, and comes back. Returns what the service answers then. */
export async function comeBackAs(visitor: Visitor, subject: string, start = '/login/sso'): Promise<Response> {
  const sent = await visitor.open(start);
  if (sent.status !== 303) throw new Error(`expected a redirect, got ${sent.status} ${await sent.text()}`);
  return visitor.open(await logInAtProvider(leadsTo(sent), subject));
}

/** The field that a form of the service has for this login. */
export function flowIn(response: Response): string {
  return new URL(leadsTo(response), 'http://service').searchParams.get('flow') ?? '';
}
