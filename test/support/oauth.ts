import { createHash, randomBytes } from 'node:crypto';
import type { TestApp, TestResponse, TestUser } from './app.ts';
import { readResponse } from './http/call.ts';

/** An OAuth client and the person who connects it, without a browser. */

export const REDIRECT = 'https://app.example/callback';

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function pkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

interface PostOptions {
  headers?: Record<string, string>;
  cookie?: string;
  peer?: string;
}

type Form = Record<string, string | string[] | undefined>;

/** Posts a form, as browsers and OAuth clients do. */
export async function postForm(
  quire: TestApp,
  path: string,
  form: Form,
  options: PostOptions = {},
): Promise<TestResponse> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    for (const each of [value].flat()) if (each !== undefined) body.append(name, each);
  const { cookie, headers, peer } = options;
  return readResponse(
    await quire.request(path, {
      method: 'POST',
      body: String(body),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        ...(cookie && { cookie }),
        ...headers,
      },
      ...(peer && { peer }),
    }),
  );
}

let addresses = 0;
/** An address of its own, so that no test reaches the limits of another. */
export const newAddress = () =>
  `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;

export async function registerClient(quire: TestApp, metadata: object = {}): Promise<string> {
  const answer = await quire.call('POST', '/oauth/register', {
    body: { client_name: 'Test app', redirect_uris: [REDIRECT], ...metadata },
    peer: newAddress(),
  });
  if (answer.status !== 201) throw new Error(`registering failed: ${JSON.stringify(answer.body)}`);
  return answer.body.client_id;
}

export interface Request {
  client_id: string;
  redirect_uri?: string;
  challenge?: string;
  /** Parameters to change; undefined leaves one out. */
  more?: Record<string, string | undefined>;
}

/** The query that sends a person to the consent screen. */
export function authorizeQuery({
  client_id,
  redirect_uri = REDIRECT,
  challenge = '',
  more = {},
}: Request): string {
  const all = {
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'a state',
    ...more,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return String(new URLSearchParams(given));
}

/** Opens the consent screen as a logged-in person. */
export async function openConsent(
  quire: TestApp,
  query: string,
  cookie?: string,
  language = 'en',
): Promise<TestResponse> {
  const headers = {
    'sec-fetch-mode': 'navigate',
    'sec-fetch-site': 'cross-site',
    'accept-language': language,
    ...(cookie && { cookie }),
  };
  return readResponse(await quire.request(`/oauth/authorize?${query}`, { headers, peer: newAddress() }));
}

const unescapeHtml = (text: string) =>
  text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");

/** The hidden fields of a screen. */
export function hiddenFields(screen: string): Record<string, string> {
  const inputs = [...screen.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(inputs.map(([, name = '', value = '']) => [name, unescapeHtml(value)]));
}

/** The scopes that a screen offers, and those that are ticked. */
export function shownScopes(screen: string): { offered: string[]; ticked: string[] } {
  const found = [...screen.matchAll(/name="scope" value="([^"]+)"( checked)?/g)];
  return {
    offered: found.map(([, scope = '']) => scope),
    ticked: found.filter(([, , checked]) => checked).map(([, scope = '']) => scope),
  };
}

/** The presets that a screen offers, and the one that is chosen. */
export function shownPresets(screen: string): { offered: string[]; chosen: string | undefined } {
  const found = [...screen.matchAll(/name="preset" value="([^"]+)" required( checked)?/g)];
  return {
    offered: found.map(([, preset = '']) => preset),
    chosen: found.find(([, , checked]) => checked)?.[1],
  };
}

/** Answers the consent screen. By default, single scopes are chosen: those that are ticked. */
export function answerConsent(
  quire: TestApp,
  screen: TestResponse,
  cookie: string,
  form: Form = {},
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const fields = {
    ...hiddenFields(screen.body),
    preset: 'own',
    scope: shownScopes(screen.body).ticked,
    sure: 'yes',
    answer: 'allow',
  };
  return postForm(quire, '/oauth/authorize', { ...fields, ...form }, { cookie, headers });
}

/** Where an answer leads, with its parameters. */
export function readRedirect({ status, headers }: TestResponse): {
  uri: string;
  params: Record<string, string>;
} {
  const location = headers.get('location');
  if (status !== 303 || !location) throw new Error(`not a redirect but ${status}`);
  const [uri = '', query = ''] = location.split('?');
  return { uri, params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Has a person allow a request, and returns the code. */
export async function getCode(
  quire: TestApp,
  cookie: string,
  request: Request,
  form: Form = {},
): Promise<{ code: string; params: Record<string, string> }> {
  const screen = await openConsent(quire, authorizeQuery(request), cookie);
  const { params } = readRedirect(await answerConsent(quire, screen, cookie, form));
  return { code: params.code ?? '', params };
}

export const token = (quire: TestApp, form: Form, options?: PostOptions) =>
  postForm(quire, '/oauth/token', form, options);

export interface Connected {
  clientId: string;
  access: string;
  refresh: string;
  scope: string;
}

/** Connects a new app for a person with these scopes. */
export async function connect(
  quire: TestApp,
  user: TestUser,
  scopes: string[] = ['pages:read'],
  more: Record<string, string | undefined> = {},
  form: Form = {},
): Promise<Connected> {
  const clientId = await registerClient(quire);
  const { verifier, challenge } = pkce();
  const cookie = await user.login();
  const request = { client_id: clientId, challenge, more };
  const { code } = await getCode(quire, cookie, request, { scope: scopes, ...form });
  const { status, body } = await token(quire, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
  });
  if (status !== 200) throw new Error(`no token: ${JSON.stringify(body)}`);
  return { clientId, access: body.access_token, refresh: body.refresh_token, scope: body.scope };
}

export const refreshWith = (quire: TestApp, clientId: string, refresh: string, more: Form = {}) =>
  token(quire, { grant_type: 'refresh_token', client_id: clientId, refresh_token: refresh, ...more });
