import { z } from 'zod';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of OAuth. Requests have unknown parameters that must be ignored, so their objects are loose. */

/** The client that `quire login` uses. */
export const COMMAND_LINE_CLIENT = 'quire-cli';

export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const GRANT_TYPES = ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT] as const;

const MAX_REDIRECT_URIS = 10;
const MAX_REDIRECT_URI = 500;
/** The longest client id: the URL of a client that describes itself. */
export const MAX_CLIENT_ID = 500;

const parameter = (max: number) =>
  z.string().max(max, rule('must have at most {max} characters', { max: String(max) }));
const url = () => z.string().meta({ format: 'uri' });

export const TokenExchange = z.looseObject({
  grant_type: parameter(100),
  client_id: parameter(MAX_CLIENT_ID).optional(),
  code: parameter(200).optional(),
  code_verifier: parameter(200).optional(),
  redirect_uri: parameter(MAX_REDIRECT_URI).optional(),
  refresh_token: parameter(200).optional(),
  device_code: parameter(200).optional(),
  scope: parameter(1000).optional(),
  resource: parameter(1000).optional(),
});
export type TokenExchange = z.infer<typeof TokenExchange>;

export const IssuedTokens = z.object({
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  refresh_token: z.string(),
  scope: z.string().meta({ description: 'What the person allowed, separated by spaces.' }),
});
export type IssuedTokens = z.infer<typeof IssuedTokens>;

export const DeviceRequest = z.looseObject({
  client_id: parameter(MAX_CLIENT_ID),
  scope: parameter(1000).optional(),
  resource: parameter(1000).optional(),
});

export const DeviceAuthorization = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: url(),
  verification_uri_complete: url(),
  expires_in: z.int(),
  interval: z.int(),
});
export type DeviceAuthorization = z.infer<typeof DeviceAuthorization>;

export const Revocation = z.looseObject({
  token: parameter(200),
  token_type_hint: parameter(100).optional(),
  client_id: parameter(MAX_CLIENT_ID).optional(),
});

/** What a client says about itself, when it registers or in its own document. */
export const ClientMetadata = z.looseObject({
  client_name: z.string().max(1000).optional(),
  redirect_uris: z
    .array(z.string().max(MAX_REDIRECT_URI))
    .max(MAX_REDIRECT_URIS)
    .optional()
    .meta({ description: 'URLs to return to. Needed unless the client uses only device codes.' }),
  grant_types: z.array(z.string().max(100)).max(20).optional(),
  response_types: z.array(z.string().max(100)).max(20).optional(),
  token_endpoint_auth_method: z.string().max(100).optional(),
  client_uri: z.string().max(1000).optional(),
});
export type ClientMetadata = z.infer<typeof ClientMetadata>;

export const RegisteredClient = z.object({
  client_id: z.string(),
  client_id_issued_at: z.int(),
  client_name: z.string(),
  redirect_uris: z.array(z.string()),
  grant_types: z.array(z.string()),
  response_types: z.array(z.string()),
  token_endpoint_auth_method: z.literal('none'),
});
export type RegisteredClient = z.infer<typeof RegisteredClient>;

const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'unsupported_response_type',
  'invalid_scope',
  'invalid_target',
  'access_denied',
  'authorization_pending',
  'slow_down',
  'expired_token',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'server_error',
  'temporarily_unavailable',
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

export const OAuthFailure = z.object({
  error: z.enum(OAUTH_ERRORS),
  error_description: z.string(),
  /** Seconds to wait before the next attempt. */
  retryAfter: z.int().optional(),
});
export type OAuthFailure = z.infer<typeof OAuthFailure>;
