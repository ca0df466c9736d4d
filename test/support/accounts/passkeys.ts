import type { TestApp } from '../app.ts';
import type { TestResponse } from '../http/call.ts';
import { Authenticator, type Twist } from './authenticator.ts';

/** A browser that keeps cookies, for passkeys without a window. */
export class PasskeyBrowser {
  readonly #cookies = new Map<string, string>();

  constructor(readonly app: Pick<TestApp, 'call' | 'request' | 'baseUrl'>) {}

  /** The same browser at another node. */
  at(app: PasskeyBrowser['app']): PasskeyBrowser {
    const other = new PasskeyBrowser(app);
    for (const [name, value] of this.#cookies) other.#cookies.set(name, value);
    return other;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  forget(name: string): void {
    this.#cookies.delete(name);
  }

  async call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestResponse> {
    const answer = await this.app.call(method, path, {
      cookie: this.cookie,
      ...(body !== undefined && { body }),
      ...(headers && { headers }),
    });
    this.#keep(answer.headers);
    return answer;
  }

  /** Sends a form and returns where it leads to, or the screen. */
  async submit(path: string, fields: Record<string, string>) {
    const response = await this.app.request(path, {
      method: 'POST',
      headers: { cookie: this.cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(fields).toString(),
    });
    this.#keep(response.headers);
    return {
      status: response.status,
      location: response.headers.get('location'),
      text: await response.text(),
    };
  }

  #keep(headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = '', value = '', rest = ''] = /^([^=]+)=([^;]*)(.*)/.exec(line) ?? [];
      if (rest.includes('Max-Age=0')) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  async logIn(username: string, password: string): Promise<TestResponse> {
    return this.call('POST', '/api/auth/login', { username, password });
  }

  /** Adds a passkey and returns what makes it. */
  async addPasskey(
    authenticator: Authenticator = new Authenticator(this.app.baseUrl),
    twist: Twist = {},
  ): Promise<TestResponse & { authenticator: Authenticator }> {
    const { body: options } = await this.call('POST', '/api/auth/passkeys/options', {});
    const credential = authenticator.create(options, twist);
    return { authenticator, ...(await this.call('POST', '/api/auth/passkeys', { credential })) };
  }

  /** Logs in with a passkey, alone or after a password. */
  async usePasskey(
    authenticator: Authenticator,
    twist: Twist = {},
    { secondFactor = false } = {},
  ): Promise<TestResponse> {
    const started = await this.call('POST', '/api/auth/passkey-login/options', { secondFactor });
    if (started.status !== 200) return started;
    const credential = authenticator.get(started.body, twist);
    return this.call('POST', '/api/auth/passkey-login', { credential });
  }
}
