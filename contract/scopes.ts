/** What a token may do. */

/** What any token may be allowed to do. */
export const SCOPES = [
  'pages:read',
  'pages:write',
  'functions:read',
  'functions:write',
  'solo-data:read',
  'solo-data:write',
  'team-data:read',
  'team-data:write',
  'social-data:read',
  'social-data:write',
] as const;
export type Scope = (typeof SCOPES)[number];

/** For administrators who ask for it. */
export const ADMIN_SCOPE = 'admin';

/** Managing one's own tokens: for tokens obtained with a password, never for personal ones. */
export const ACCOUNT_SCOPE = 'account';

/** What a token obtained with a password can do, unless it asks for less. */
export const PASSWORD_SCOPES = [...SCOPES, ACCOUNT_SCOPE] as const;
