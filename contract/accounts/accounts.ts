import { z } from 'zod';
import { creditLimit } from '../credits/credits.ts';
import { list, shortText, timestamp } from '../fields.ts';
import { MAX_TOKEN_NAME } from '../rules/limits.ts';
import { characterCount } from '../rules/text.ts';
import { rule } from '../rules/texts/rule.ts';
import { ACCOUNT_SCOPE, ADMIN_SCOPE, FEATURES_SCOPE, PASSWORD_SCOPES } from '../scopes.ts';

/** The wire shapes of accounts, tokens and sessions, and their limits. */

const KNOWN_SCOPES = [...PASSWORD_SCOPES, FEATURES_SCOPE, ADMIN_SCOPE] as const;

const scope = z.enum(KNOWN_SCOPES, {
  error: rule('is not a known scope; the scopes are {values}', { values: KNOWN_SCOPES.join(', ') }),
});

const passwordScope = scope.refine(
  (name) => name !== FEATURES_SCOPE,
  'is only available to personal tokens, which have a creditLimit: POST /api/auth/tokens',
);

const personalScope = scope.refine(
  (name) => name !== ACCOUNT_SCOPE,
  'is not available to personal tokens, only to tokens obtained with the password',
);

const someScopes = <Scope extends z.ZodType>(each: Scope) =>
  list(each, {
    max: 2 * KNOWN_SCOPES.length,
    tooLong: rule('has more than {max} scopes', { max: 2 * KNOWN_SCOPES.length }),
  }).refine((named) => named.length > 0, 'must name at least one scope');

export const username = z
  .string()
  .transform((name) => name.toLowerCase())
  .refine((name) => /^[a-z0-9_-]{3,32}$/.test(name), 'must have 3 to 32 characters of a-z, 0-9, _ and -')
  .meta({ minLength: 3, maxLength: 32, pattern: '^[A-Za-z0-9_-]+$' });

export const password = shortText(200)
  .refine((value) => characterCount(value) >= 8, 'must have at least 8 characters')
  .meta({ minLength: 8, maxLength: 200, format: 'password' });

export const email = z
  .email('must be an e-mail address')
  .max(254, 'must have at most 254 characters')
  .transform((address) => address.toLowerCase());

export const Registration = z.strictObject({
  username,
  email,
  password,
  invite: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'The code of an invite, where registration is by invite.' }),
});
export type Registration = z.infer<typeof Registration>;

/** A username or e-mail address, and a password. Their format is not checked: wrong ones are refused anyway. */
export const Credentials = z.strictObject({
  username: shortText(254).transform((name) => name.toLowerCase()),
  password: shortText(1000),
});
export type Credentials = z.infer<typeof Credentials>;

export const TokenRequest = Credentials.extend({ scopes: someScopes(passwordScope).optional() });

export const RefreshRequest = z.strictObject({ refreshToken: z.string().max(200) });

export const PersonalTokenRequest = z
  .strictObject({
    name: shortText(MAX_TOKEN_NAME).refine((name) => name.trim().length > 0, 'must not be empty'),
    scopes: someScopes(personalScope),
    expiresAt: z.iso
      .datetime({ offset: true, error: 'must be an ISO 8601 moment' })
      .transform((text) => Date.parse(text))
      .optional(),
    creditLimit: creditLimit
      .optional()
      .meta({ description: 'Credits that the token can spend in total. Needed with the scope features.' }),
    branches_only: z
      .boolean('must be true or false')
      .default(false)
      .meta({ description: 'True if the token can only change branches: every page is protected from it.' }),
  })
  .refine(({ scopes, creditLimit: limit }) => !scopes.includes(FEATURES_SCOPE) || limit !== undefined, {
    path: ['creditLimit'],
    error: rule('is needed with the scope {scope}: how many credits the token can spend', {
      scope: FEATURES_SCOPE,
    }),
  })
  .refine(({ scopes, creditLimit: limit }) => scopes.includes(FEATURES_SCOPE) || limit === undefined, {
    path: ['creditLimit'],
    error: rule('needs the scope {scope}', { scope: FEATURES_SCOPE }),
  });
export type PersonalTokenRequest = z.infer<typeof PersonalTokenRequest>;
/** A new personal token as clients send it: fields with a default may be left out. */
export type NewPersonalToken = z.input<typeof PersonalTokenRequest>;

export const PasswordChange = z.strictObject({
  current: z.string().max(1000).optional().meta({ description: 'Needed if the account has a password.' }),
  next: password,
});
export type PasswordChange = z.infer<typeof PasswordChange>;

export const TokenPair = z.object({
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresIn: z.number(),
  scopes: z.array(z.string()),
  tokenType: z.literal('Bearer'),
});

/** The token that a login session is exchanged for. */
export const SessionToken = TokenPair.omit({ refreshToken: true });
export type SessionToken = z.infer<typeof SessionToken>;

export const Registered = z.object({
  success: z.literal(true),
  userId: z.int(),
  username: z.string(),
  accessToken: z.string(),
  refreshToken: z.string(),
  expiresIn: z.number(),
  tokenType: z.literal('Bearer'),
});
export type Registered = z.infer<typeof Registered>;

export const Me = z.object({ user: z.object({ id: z.int(), username: z.string(), credits: z.number() }) });
export type Me = z.infer<typeof Me>;

/** What the caller is, and can do. */
export const WhoAmI = Me.extend({
  access: z
    .object({
      scopes: z.array(z.string()),
      missing: z.array(z.string()).meta({ description: 'The scopes for programs that the token lacks.' }),
      more: z.string().meta({ description: 'How to get the missing scopes.' }),
    })
    .optional()
    .meta({ description: 'What the token can do, unless it has all scopes for programs.' }),
});
export type WhoAmI = z.infer<typeof WhoAmI>;

export const LoggedIn = Me.extend({ success: z.literal(true) });
export type LoggedIn = z.infer<typeof LoggedIn>;

export const PersonalToken = z.object({
  id: z.int(),
  name: z.string(),
  token: z.string(),
  scopes: z.array(z.string()),
  branches_only: z.boolean(),
  createdAt: timestamp,
  expiresAt: timestamp,
  creditLimit: z.number().nullable(),
});
export type PersonalToken = z.infer<typeof PersonalToken>;

/** A token in a list, where its value is not shown. */
export const ListedToken = z.object({
  id: z.int(),
  name: z.string(),
  scopes: z.array(z.string()),
  branches_only: z.boolean(),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  lastUsedAt: timestamp.nullable(),
  creditLimit: z.number().nullable(),
  creditsUsed: z.number().meta({ description: 'Credits that are spent, or reserved for what is running.' }),
});
export type ListedToken = z.infer<typeof ListedToken>;
export const PersonalTokenList = z.object({ tokens: z.array(ListedToken) });
export type PersonalTokenList = z.infer<typeof PersonalTokenList>;

export const Session = z.object({
  id: z.int(),
  name: z.string().meta({ description: 'The device: what you call it, or a guess from its user agent.' }),
  userAgent: z.string(),
  address: z.string(),
  method: z
    .string()
    .meta({ description: 'How you logged in: password, passkey, recovery code or single sign-on.' }),
  createdAt: timestamp,
  lastSeenAt: timestamp,
  expiresAt: timestamp,
  current: z.boolean(),
});
export type Session = z.infer<typeof Session>;
export const SessionList = z.object({ sessions: z.array(Session) });
export type SessionList = z.infer<typeof SessionList>;
