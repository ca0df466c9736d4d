import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import {
  type Lies,
  type LyingProvider,
  startLyingProvider,
} from '../../../../test/support/accounts/lying-provider.ts';
import { AppError } from '../../../lib/errors.ts';
import { Provider } from './provider.ts';

const REDIRECT_URI = 'https://quire.example.com/login/sso/callback';
const CHECKS = { state: 'the state', nonce: 'the nonce', verifier: 'v'.repeat(43) };
const HOUR_MS = 3600 * 1000;

let liar: LyingProvider;
beforeAll(() => {
  liar = startLyingProvider();
});
afterAll(() => liar.stop());
beforeEach(() => {
  liar.lies = {};
  liar.asked.length = 0;
});

function newProvider(more: { now?: () => number; timeoutSeconds?: number } = {}): Provider {
  return new Provider({ settings: liar.settings, redirectUri: REDIRECT_URI, now: Date.now, ...more });
}

async function logIn(provider: Provider, person?: Record<string, unknown>, checks = CHECKS) {
  const back = liar.logIn(await provider.authorizationUrl(checks), person);
  return provider.redeem(new URL(back).searchParams, checks);
}

async function expectFailure(attempt: Promise<unknown>): Promise<AppError> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${error}`);
  return error;
}

test('sends the browser to the provider with PKCE, state and nonce', async () => {
  const url = new URL(await newProvider().authorizationUrl(CHECKS));
  expect(url.origin + url.pathname).toBe(`${liar.issuer}/authorize`);
  const query = Object.fromEntries(url.searchParams);
  expect(query).toMatchObject({
    client_id: 'quire',
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: REDIRECT_URI,
    state: CHECKS.state,
    nonce: CHECKS.nonce,
    code_challenge_method: 'S256',
  });
  expect(query.code_challenge).not.toBe(CHECKS.verifier);
  expect(url.href).not.toContain(liar.settings.clientSecret);
});

test('knows a person by issuer and subject', async () => {
  expect(await logIn(newProvider(), { preferred_username: 'Jo Doe' })).toEqual({
    issuer: `${liar.issuer}/`,
    subject: 'someone',
    email: 'someone@example.com',
    isEmailVerified: true,
    suggestion: 'jo-doe',
  });
});

test('asks for the address if the ID token does not say it', async () => {
  liar.lies = { userInfo: { sub: 'someone', email: 'Some@Example.com', email_verified: 'true' } };
  const person = { email: undefined, email_verified: undefined };
  expect(await logIn(newProvider(), person)).toMatchObject({
    email: 'some@example.com',
    isEmailVerified: true,
  });
});

const now = () => Math.floor(Date.now() / 1000);
const LIES: Array<[string, () => Lies]> = [
  ['an audience that is another service', () => ({ claims: { aud: 'another' } })],
  [
    'two audiences and a token for the other',
    () => ({ claims: { aud: ['quire', 'another'], azp: 'another' } }),
  ],
  ['two audiences without saying for whom', () => ({ claims: { aud: ['quire', 'another'] } })],
  ['another issuer in the token', () => ({ claims: { iss: 'https://other.example.com' } })],
  ['another nonce', () => ({ claims: { nonce: 'of another login' } })],
  ['no nonce', () => ({ claims: { nonce: undefined } })],
  ['an expired token', () => ({ claims: { iat: now() - 600, exp: now() - 300 } })],
  ['a token without an expiry', () => ({ claims: { exp: undefined } })],
  ['a token that is not valid yet', () => ({ claims: { nbf: now() + 300 } })],
  ['no subject', () => ({ claims: { sub: undefined } })],
  ['a subject that is too long', () => ({ claims: { sub: 'x'.repeat(256) } })],
  ['a token without a signature', () => ({ signature: 'none' })],
  ['a token signed by another key', () => ({ signature: 'by another key' })],
  ['a token signed with the client secret', () => ({ signature: 'with the client secret' })],
  ['a token signed with the public key as a secret', () => ({ signature: 'with the public key' })],
  ['a broken signature', () => ({ signature: 'broken' })],
  ['another issuer in the answer', () => ({ callback: { iss: 'https://other.example.com' } })],
  ['no issuer in the answer', () => ({ callback: { iss: undefined } })],
  ['another state', () => ({ callback: { state: 'of another login' } })],
  ['no state', () => ({ callback: { state: undefined } })],
  ['no code', () => ({ callback: { code: undefined } })],
  ['a code of nobody', () => ({ callback: { code: 'guessed' } })],
  ['a refusal', () => ({ callback: { code: undefined, error: 'access_denied' } })],
  [
    'user info of another person',
    () => ({ claims: { email: undefined }, userInfo: { sub: 'another', email: 'another@example.com' } }),
  ],
  [
    'a response without an ID token',
    () => ({ instead: { '/token': () => Response.json({ access_token: 'a', token_type: 'Bearer' }) } }),
  ],
  [
    'a token that is not a token',
    () => ({
      instead: {
        '/token': () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token: 'x.y.z' }),
      },
    }),
  ],
  ['no keys', () => ({ instead: { '/keys': () => Response.json({ keys: [] }) } })],
];

test.each(LIES)('refuses %s', async (_, lies) => {
  liar.lies = lies();
  expect((await expectFailure(logIn(newProvider()))).code).toBe('FORBIDDEN');
  // Only the wrong claim made the login fail: without it, the same login works.
  liar.lies = {};
  expect((await logIn(newProvider())).subject).toBe('someone');
});

test('accepts a subject of the greatest length', async () => {
  expect((await logIn(newProvider(), { sub: 'x'.repeat(255) })).subject).toHaveLength(255);
});

test('refuses a code that was used before, and one of another browser', async () => {
  const provider = newProvider();
  const url = await provider.authorizationUrl(CHECKS);
  const query = new URL(liar.logIn(url)).searchParams;
  expect((await provider.redeem(query, CHECKS)).subject).toBe('someone');
  expect((await expectFailure(provider.redeem(query, CHECKS))).code).toBe('FORBIDDEN');
  const stolen = new URL(liar.logIn(url)).searchParams;
  const other = { ...CHECKS, verifier: 'w'.repeat(43) };
  expect((await expectFailure(provider.redeem(stolen, other))).code).toBe('FORBIDDEN');
});

const huge = () =>
  new Response(`{"issuer":"${'x'.repeat(600 * 1024)}"}`, { headers: { 'content-type': 'application/json' } });
const endless = () =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)) }));
const never = () => new Promise<Response>(() => undefined);
const UNAVAILABLE: Array<[string, Lies]> = [
  ['answers nothing', { instead: { '/.well-known/openid-configuration': never } }],
  ['says too much about itself', { instead: { '/.well-known/openid-configuration': huge } }],
  ['never stops saying it', { instead: { '/.well-known/openid-configuration': endless } }],
  ['fails', { instead: { '/.well-known/openid-configuration': () => new Response('', { status: 500 }) } }],
  ['is another one', { metadata: { issuer: 'https://other.example.com' } }],
  [
    'redirects',
    { instead: { '/.well-known/openid-configuration': () => Response.redirect('http://127.0.0.1:9/') } },
  ],
  ['has a login page without TLS', { metadata: { authorization_endpoint: 'http://other.example.com/' } }],
  ['has a token endpoint without TLS', { metadata: { token_endpoint: 'http://other.example.com/' } }],
  ['has endless tokens', { instead: { '/token': endless } }],
  ['has endless keys', { instead: { '/keys': endless } }],
  ['gives no token', { instead: { '/token': never } }],
];

test.each(UNAVAILABLE)('is unavailable if it %s, and then works again', async (_, lies) => {
  const provider = newProvider({ timeoutSeconds: 0.3 });
  liar.lies = lies;
  expect((await expectFailure(logIn(provider))).code).toBe('UNAVAILABLE');
  liar.lies = {};
  expect((await logIn(provider)).subject).toBe('someone');
});

test('is unavailable if nobody listens there', async () => {
  const gone = startLyingProvider();
  gone.stop();
  const provider = new Provider({ settings: gone.settings, redirectUri: REDIRECT_URI, now: Date.now });
  expect((await expectFailure(provider.authorizationUrl(CHECKS))).code).toBe('UNAVAILABLE');
});

test('reads what the provider says about itself once an hour', async () => {
  let offset = 0;
  const provider = newProvider({ now: () => Date.now() + offset });
  await Promise.all([1, 2, 3].map(() => provider.authorizationUrl(CHECKS)));
  await provider.authorizationUrl(CHECKS);
  expect(liar.asked).toEqual(['/.well-known/openid-configuration']);
  offset = HOUR_MS;
  await provider.authorizationUrl(CHECKS);
  expect(liar.asked).toHaveLength(2);
});

test('reads the keys again when they have changed, and not for every login', async () => {
  const provider = newProvider();
  const keysAsked = () => liar.asked.filter((path) => path === '/keys').length;
  await logIn(provider);
  await logIn(provider);
  expect(keysAsked()).toBe(1);
  liar.changeKey();
  expect((await logIn(provider)).subject).toBe('someone');
  expect(keysAsked()).toBe(2);
  await logIn(provider);
  expect(keysAsked()).toBe(2);
});
