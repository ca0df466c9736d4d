import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';

/** A person at the provider. */
export interface Person {
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
}

/** A real OpenID Connect provider on this machine, with a login form. Whoever gives a subject is that person. */
export interface TestProvider {
  issuer: string;
  /** Starts to respond to the service at this URL. */
  serve(baseUrl: string): void;
  /** The settings of a server that uses it. */
  settings: Record<string, string>;
  /** Adds a person, or changes what the provider says about them. */
  add(subject: string, person: Person): void;
  stop(): Promise<void>;
}

const HOUR = 3600;
const CLIENT = { id: 'quire', secret: 'a secret that only the two of them have' };

/** The service at `baseUrl` uses it; without, `serve` says later which one does. */
export async function startProvider(baseUrl?: string): Promise<TestProvider> {
  const people = new Map<string, Person>();
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = (url: string) =>
    void server.on('request', new Provider(issuer, configure(url, people)).callback());
  if (baseUrl !== undefined) serve(baseUrl);
  return {
    issuer,
    serve,
    settings: {
      QUIRE_OIDC_ISSUER: issuer,
      QUIRE_OIDC_CLIENT_ID: CLIENT.id,
      QUIRE_OIDC_CLIENT_SECRET: CLIENT.secret,
      QUIRE_OIDC_NAME: 'School ID',
    },
    add: (subject, person) => void people.set(subject, person),
    stop: () => close(server),
  };
}

function configure(baseUrl: string, people: Map<string, Person>): Configuration {
  return {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${baseUrl}/login/sso/callback`],
      },
    ],
    claims: { email: ['email', 'email_verified'], profile: ['preferred_username'] },
    pkce: { required: () => true },
    ttl: { Interaction: HOUR, Session: HOUR, Grant: HOUR, AccessToken: HOUR, IdToken: HOUR },
    cookies: { keys: ['a key of the test provider'] },
    async findAccount(_, subject) {
      const person = people.get(subject);
      return person && { accountId: subject, claims: async () => ({ sub: subject, ...person }) };
    },
    features: { devInteractions: { enabled: true } },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((closed) => {
    server.close(() => closed());
    server.closeAllConnections();
  });
}

/** A browser without a window, at the provider: it logs in, agrees, and returns where it is sent back to. */
export async function logInAtProvider(authorizationUrl: string, subject: string): Promise<string> {
  const jar = new Map<string, string>();
  const visit = async (url: string, form?: Record<string, string>): Promise<Response> => {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    return response;
  };
  const { origin } = new URL(authorizationUrl);
  let url = authorizationUrl;
  for (let steps = 0; steps < 20; steps++) {
    const response = await visit(url);
    const location = response.headers.get('location');
    if (location) {
      url = new URL(location, url).href;
      if (!url.startsWith(origin)) return url;
      continue;
    }
    const page = await response.text();
    const action = /<form[^>]+action="([^"]+)"/.exec(page)?.[1];
    if (!action) throw new Error(`the provider shows no form: ${response.status} ${page.slice(0, 500)}`);
    const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? 'login';
    const sent = await visit(new URL(action, url).href, { prompt, login: subject, password: 'any' });
    url = new URL(sent.headers.get('location') ?? '', url).href;
  }
  throw new Error('the provider does not send the browser back');
}
