import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type Provider from 'oidc-provider';
import type { Adapter, AdapterPayload, Configuration, JWK } from 'oidc-provider';

/** The package's entry is this and a warning about every runtime but Node.js. */
const loading = import('oidc-provider/lib/provider.js' as string) as Promise<typeof import('oidc-provider')>;

/** A person at the provider. */
export interface Person {
  email?: string;
  email_verified?: boolean;
  preferred_username?: string;
}

/** A real OpenID Connect provider on this machine, with a login form. A person who enters a subject is logged in as it. */
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
const INTERACTION = '/interaction/';
const ABORT = '/abort';
const CLIENT = { id: 'quire', secret: 'a secret that only the two of them have' };

/** The service at `baseUrl` uses it; without, `serve` says later which one does. */
export async function startProvider(baseUrl?: string): Promise<TestProvider> {
  const people = new Map<string, Person>();
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const library = await loading;
  const serve = (url: string) => {
    const provider = new library.Provider(issuer, configure(url, people));
    const respond = provider.callback();
    server.on('request', (request, response) => {
      if (!request.url?.startsWith(INTERACTION)) return respond(request, response);
      interact(provider, request, response).catch((error) => response.writeHead(500).end(String(error)));
    });
  };
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
    jwks: { keys: [signingKey()] },
    adapter: createStorage(),
    interactions: { url: (_, { uid }) => `${INTERACTION}${uid}` },
    features: { devInteractions: { enabled: false } },
  };
}

/** Keys take a while to make, so all providers of a process have the same. */
let madeKey: JWK | undefined;
function signingKey(): JWK {
  madeKey ??= {
    ...(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }) as JWK),
    ...{ kid: 'test', use: 'sig', alg: 'RS256' },
  };
  return madeKey;
}

/** What one provider knows, in memory. Nothing expires: tests are over before. */
function createStorage(): (model: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  const findBy = async (model: string, fits: (payload: AdapterPayload) => boolean) =>
    [...stored].find(([key, payload]) => key.startsWith(`${model}:`) && fits(payload))?.[1];
  return (model) => ({
    upsert: async (id, payload) => void stored.set(`${model}:${id}`, payload),
    find: async (id) => stored.get(`${model}:${id}`),
    findByUid: (uid) => findBy(model, (payload) => payload.uid === uid),
    findByUserCode: (userCode) => findBy(model, (payload) => payload.userCode === userCode),
    async consume(id) {
      const payload = stored.get(`${model}:${id}`);
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    destroy: async (id) => void stored.delete(`${model}:${id}`),
    async revokeByGrantId(grantId) {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
    },
  });
}

/** The two forms of the provider: who are you, and may the service know? */
async function interact(provider: Provider, request: IncomingMessage, response: ServerResponse) {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (request.url?.endsWith(ABORT)) {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  const isLogin = prompt.name === 'login';
  if (request.method !== 'POST') {
    const fields = '<input name="login" required><input name="password" type="password" required>';
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><title>School ID</title><form method="post" action="${request.url}">
      ${isLogin ? fields : ''}<button type="submit">${isLogin ? 'Log in' : 'Continue'}</button></form>
      <a href="${request.url}${ABORT}">Cancel</a>`);
    return;
  }
  if (isLogin) {
    const accountId = new URLSearchParams(await text(request)).get('login') ?? '';
    await provider.interactionFinished(request, response, { login: { accountId } });
    return;
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const { accountId } = session as { accountId: string };
  const grant = known ?? new provider.Grant({ accountId, clientId: String(params.client_id) });
  const { missingOIDCScope: scopes, missingOIDCClaims: claims } = prompt.details as Record<
    string,
    string[] | undefined
  >;
  if (scopes) grant.addOIDCScope(scopes.join(' '));
  if (claims) grant.addOIDCClaims(claims);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
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
    const sent = await visit(new URL(action, url).href, { login: subject, password: 'any' });
    url = new URL(sent.headers.get('location') ?? '', url).href;
  }
  throw new Error('the provider does not send the browser back');
}
