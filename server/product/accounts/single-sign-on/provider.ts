import type { Configuration, ServerMetadata } from 'openid-client';
import { AppError } from '../../../lib/errors.ts';
import { isSecureUrl } from '../../../lib/host-names.ts';
import { storedIssuer } from '../model/login-methods.ts';
import { type Claims, type Identity, toIdentity } from './identity.ts';
import { fetchFromProvider, ProviderUnavailableError } from './provider-fetch.ts';

/** The deadline of requests to the provider. A person waits for them in a browser. */
const TIMEOUT_SECONDS = 10;
const METADATA_FRESH_MS = 60 * 60 * 1000;
const KEYS_FRESH_MS = 5 * 60 * 1000;
/** From this age, the library fetches the keys again if a token names one that it does not know. */
const REFETCH_AFTER_SECONDS = 60;

export interface ProviderSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
}

/** Values kept in the browser for one login, which the response must match. */
export interface Checks {
  state: string;
  nonce: string;
  verifier: string;
}

type Library = typeof import('openid-client');
type Keys = NonNullable<ReturnType<Library['getJwksCache']>>['jwks'];

/**
 * The OpenID Connect provider that the operator has named. It is asked for the first time when somebody logs in with
 * it, so that it can be unavailable when the server starts.
 */
export class Provider {
  readonly name: string;
  /** The issuer in one spelling, as it is stored. */
  readonly issuer: string;
  readonly #settings: ProviderSettings;
  readonly #redirectUri: string;
  readonly #now: () => number;
  readonly #timeoutSeconds: number;
  #metadata: { value: ServerMetadata; at: number } | undefined;
  #loading: Promise<ServerMetadata> | undefined;
  #keys: { value: Keys; at: number } | undefined;

  constructor(options: {
    settings: ProviderSettings;
    redirectUri: string;
    now: () => number;
    timeoutSeconds?: number;
  }) {
    this.name = options.settings.name;
    this.issuer = storedIssuer(options.settings);
    this.#settings = options.settings;
    this.#redirectUri = options.redirectUri;
    this.#now = options.now;
    this.#timeoutSeconds = options.timeoutSeconds ?? TIMEOUT_SECONDS;
  }

  /** Where the browser goes to log in. */
  async authorizationUrl({ state, nonce, verifier }: Checks): Promise<string> {
    const library = await load();
    const configuration = await this.#configure(library);
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid email profile',
      response_mode: 'query',
      state,
      nonce,
      code_challenge: await library.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    if (!isSecureUrl(url.href))
      throw this.#unavailable(new Error('its login page is not reached over https'));
    return url.href;
  }

  /**
   * Exchanges the query that the browser came back with for the person it stands for. Everything in it is checked:
   * state, issuer, and of the ID token the signature, issuer, audience, expiry and nonce.
   */
  async redeem(query: URLSearchParams, checks: Checks): Promise<Identity> {
    const library = await load();
    const configuration = await this.#configure(library);
    const answer = new URL(this.#redirectUri);
    answer.search = query.toString();
    try {
      const tokens = await library.authorizationCodeGrant(configuration, answer, {
        expectedState: checks.state,
        expectedNonce: checks.nonce,
        pkceCodeVerifier: checks.verifier,
        idTokenExpected: true,
      });
      const claims: Claims = { ...tokens.claims() };
      const info = await this.#ask(library, configuration, claims, tokens.access_token);
      const identity = toIdentity(this.issuer, { ...info, ...claims });
      if (!identity) throw new Error('the subject is not a text of at most 255 characters');
      return identity;
    } catch (error) {
      throw this.#translate(library, error);
    } finally {
      const keys = library.getJwksCache(configuration);
      // Keep only new keys: those that the library was given have an age that we have made up.
      if (keys && keys.jwks !== this.#keys?.value && keys.uat > Date.now() / 1000 - REFETCH_AFTER_SECONDS)
        this.#keys = { value: keys.jwks, at: this.#now() };
    }
  }

  /** Reads the metadata of the provider, for `quire doctor`. */
  async check(): Promise<string> {
    return (await this.#discover(await load())).issuer;
  }

  /** Reads the user info if the ID token has no e-mail address: many providers have it only there. */
  async #ask(
    library: Library,
    configuration: Configuration,
    claims: Claims,
    accessToken: string,
  ): Promise<Claims> {
    if (claims.email !== undefined || !configuration.serverMetadata().userinfo_endpoint) return {};
    return library.fetchUserInfo(configuration, accessToken, String(claims.sub));
  }

  /** Makes a configuration for each login. In an older one, the library would not look for new keys for a minute. */
  async #configure(library: Library): Promise<Configuration> {
    const { clientId, clientSecret } = this.#settings;
    const metadata = await this.#discover(library);
    const configuration = new library.Configuration(
      metadata,
      clientId,
      undefined,
      // Send the secret in the body if the provider accepts it: providers disagree on how to encode the header.
      metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post')
        ? library.ClientSecretPost(clientSecret)
        : library.ClientSecretBasic(clientSecret),
    );
    configuration.timeout = this.#timeoutSeconds;
    configuration[library.customFetch] = fetchFromProvider;
    // The library would otherwise trust the connection, and not check signatures.
    library.enableNonRepudiationChecks(configuration);
    // `fetchFromProvider` decides which addresses are secure.
    library.allowInsecureRequests(configuration);
    if (this.#keys && this.#now() - this.#keys.at < KEYS_FRESH_MS)
      library.setJwksCache(configuration, {
        jwks: this.#keys.value,
        uat: Math.floor(Date.now() / 1000) - REFETCH_AFTER_SECONDS,
      });
    return configuration;
  }

  /** Reads the metadata of the provider. Concurrent callers share one request. */
  async #discover(library: Library): Promise<ServerMetadata> {
    if (this.#metadata && this.#now() - this.#metadata.at < METADATA_FRESH_MS) return this.#metadata.value;
    this.#loading ??= this.#fetchMetadata(library).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #fetchMetadata(library: Library): Promise<ServerMetadata> {
    try {
      const configuration = await library.discovery(
        new URL(this.issuer),
        this.#settings.clientId,
        undefined,
        undefined,
        {
          timeout: this.#timeoutSeconds,
          [library.customFetch]: fetchFromProvider,
          execute: [library.allowInsecureRequests],
        },
      );
      const value = configuration.serverMetadata();
      this.#metadata = { value, at: this.#now() };
      return value;
    } catch (error) {
      throw this.#unavailable(error);
    }
  }

  #translate(library: Library, error: unknown): AppError {
    if (isUnavailable(error)) return this.#unavailable(error);
    if (error instanceof library.AuthorizationResponseError)
      return new AppError(
        'FORBIDDEN',
        '{name} did not log you in. Try again.',
        { name: this.name },
        { cause: error },
      );
    this.#forget();
    return new AppError(
      'FORBIDDEN',
      'The response of {name} could not be verified. Try again. If this happens again, contact the operator of this server.',
      { name: this.name },
      { cause: error },
    );
  }

  /** Forgets the metadata and keys: the provider may have changed, so the next attempt reads everything again. */
  #forget(): void {
    this.#metadata = undefined;
    this.#keys = undefined;
  }

  #unavailable(cause: unknown): AppError {
    this.#forget();
    return new AppError(
      'UNAVAILABLE',
      '{name} is not available right now. Try again in a minute.',
      { name: this.name },
      {
        cause,
      },
    );
  }
}

/** Loads the library on first use: most servers have no provider, and a start should not wait for it. */
function load(): Promise<Library> {
  return import('openid-client');
}

function isUnavailable(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (each instanceof ProviderUnavailableError) return true;
  return false;
}
