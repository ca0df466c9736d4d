import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';

/** What the provider says that is not true. Everything else it does as the standard demands. */
export interface Lies {
  /** Claims of the ID token; undefined leaves one out. */
  claims?: Record<string, unknown>;
  /** Claims of the user info. */
  userInfo?: Record<string, unknown>;
  /** How the ID token is signed. */
  signature?: 'none' | 'by another key' | 'with the client secret' | 'with the public key' | 'broken';
  /** Parameters with which the browser comes back; undefined leaves one out. */
  callback?: Record<string, string | undefined>;
  metadata?: Record<string, unknown>;
  /** Responses of a path instead of its own. */
  instead?: Record<string, () => Response | Promise<Response>>;
}

/** A small OpenID Connect provider that lies as told. */
export interface LyingProvider {
  issuer: string;
  settings: { issuer: string; clientId: string; clientSecret: string; name: string };
  /** The same, as a server gets them. */
  environment: Record<string, string>;
  lies: Lies;
  /** The paths of all requests. */
  asked: string[];
  /** From now on, ID tokens are signed with another key, which the provider publishes. */
  changeKey(): void;
  /** Logs a person in. Returns where their browser is sent back to. */
  logIn(authorizationUrl: string, person?: Record<string, unknown>): string;
  stop(): void;
}

const CLIENT = { clientId: 'quire', clientSecret: 'a secret that only the two of them have' };

export function startLyingProvider(): LyingProvider {
  const codes = new Map<string, { nonce: string; challenge: string; person: Record<string, unknown> }>();
  let key = newKey();
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: respond });
  const issuer = `http://127.0.0.1:${server.port}`;
  const asked: string[] = [];
  const told: LyingProvider = {
    issuer,
    settings: { issuer, ...CLIENT, name: 'Liar ID' },
    environment: {
      QUIRE_OIDC_ISSUER: issuer,
      QUIRE_OIDC_CLIENT_ID: CLIENT.clientId,
      QUIRE_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    },
    lies: {},
    asked,
    changeKey() {
      key = newKey();
    },
    logIn(authorizationUrl, person = {}) {
      const query = new URL(authorizationUrl).searchParams;
      const code = randomUUID();
      codes.set(code, {
        nonce: query.get('nonce') ?? '',
        challenge: query.get('code_challenge') ?? '',
        person: { sub: 'someone', email: 'someone@example.com', email_verified: true, ...person },
      });
      const answer = { code, state: query.get('state') ?? '', iss: issuer, ...told.lies.callback };
      const given = Object.entries(answer).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      );
      return `${query.get('redirect_uri')}?${new URLSearchParams(given)}`;
    },
    stop: () => void server.stop(true),
  };

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    const { instead, metadata, userInfo } = told.lies;
    const other = instead?.[pathname];
    if (other) return other();
    if (pathname === '/.well-known/openid-configuration')
      return Response.json({ ...describe(issuer), ...metadata });
    if (pathname === '/keys') return Response.json({ keys: [published(key)] });
    if (pathname === '/token') return answerToken(new URLSearchParams(await request.text()));
    if (pathname === '/userinfo') return Response.json(userInfo ?? {});
    return new Response('nothing here', { status: 404 });
  }

  function answerToken(form: URLSearchParams): Response {
    const login = codes.get(form.get('code') ?? '');
    const challenge = new Bun.CryptoHasher('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (form.get('client_secret') !== CLIENT.clientSecret || login?.challenge !== challenge)
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    codes.delete(form.get('code') ?? '');
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      ...{ iss: issuer, aud: CLIENT.clientId, nonce: login.nonce, iat: now, exp: now + 300 },
      ...login.person,
      ...told.lies.claims,
    };
    const token = signToken(claims, key, told.lies.signature);
    return Response.json({ access_token: 'access', token_type: 'Bearer', expires_in: 300, id_token: token });
  }

  return told;
}

interface Key {
  id: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
}

function newKey(): Key {
  return { id: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

function published({ id, publicKey }: Key) {
  return { ...publicKey.export({ format: 'jwk' }), kid: id, use: 'sig', alg: 'RS256' };
}

function describe(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  };
}

function signToken(claims: object, key: Key, lie: Lies['signature']): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const make = (alg: string, signer: (data: Buffer) => Buffer) => {
    const data = `${encode({ alg, kid: key.id, typ: 'JWT' })}.${encode(claims)}`;
    return `${data}.${signer(Buffer.from(data)).toString('base64url')}`;
  };
  const byKey = (privateKey: KeyObject) => make('RS256', (data) => sign('sha256', data, privateKey));
  const bySecret = (secret: string | Buffer) =>
    make('HS256', (data) => createHmac('sha256', secret).update(data).digest());
  switch (lie) {
    case 'none':
      return make('none', () => Buffer.alloc(0));
    case 'by another key':
      return byKey(newKey().privateKey);
    case 'with the client secret':
      return bySecret(CLIENT.clientSecret);
    case 'with the public key':
      return bySecret(createPublicKey(key.privateKey).export({ type: 'spki', format: 'pem' }));
    case 'broken':
      return make('RS256', () => Buffer.alloc(256, 1));
    default:
      return byKey(key.privateKey);
  }
}
