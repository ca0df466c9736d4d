/** The providers that administrators connect while the service runs. */
export const CONNECTABLE = ['chat', 'images', 'image-search'] as const;
export type Connectable = (typeof CONNECTABLE)[number];

/** The kinds of API that each of them can use. */
export const CONNECTION_KINDS = {
  chat: ['openai-compatible', 'anthropic'],
  images: ['openai-compatible'],
  'image-search': ['openverse', 'commons', 'demo'],
} as const satisfies Record<Connectable, readonly string[]>;

/** Why a call to a provider fails. */
export const PROVIDER_FAILURES = [
  /** The key is wrong. */
  'key',
  /** The key was revoked, or has expired. */
  'revoked',
  /** The saved key cannot be opened with the secret of this server. */
  'key-lost',
  /** The key may not do this. */
  'forbidden',
  /** There is no money or quota left. */
  'money',
  /** The provider does not know the model. */
  'model',
  /** There is no such API at the address. */
  'address',
  /** Nothing answers at the address. */
  'unreachable',
  /** The certificate at the address is not valid. */
  'certificate',
  /** Too many requests at the moment. */
  'busy',
  'slow',
  /** The model cannot call tools. */
  'tools',
  /** The provider refused the request. */
  'refused',
  /** The response is not what an API of this kind sends. */
  'response',
  /** The provider has a fault of its own. */
  'failed',
] as const;
export type ProviderFailure = (typeof PROVIDER_FAILURES)[number];

/** The failures that last until somebody does something about them. */
export const LASTING_FAILURES: readonly ProviderFailure[] = [
  ...(['key', 'revoked', 'key-lost', 'forbidden', 'money'] as const),
  ...(['model', 'address', 'unreachable', 'certificate'] as const),
];

export const MAX_PROVIDER_URL = 500;
export const MAX_PROVIDER_KEY = 500;
export const MAX_MODEL_NAME = 200;
/** The models of a provider that are listed. */
export const MAX_LISTED_MODELS = 200;
/** The most credits that a new account can get. */
export const MAX_NEW_USER_CREDITS = 1_000_000;
