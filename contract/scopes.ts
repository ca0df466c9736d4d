/** What a token may do. */

/** The scopes that any token can have. */
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

/**
 * The scope to use the features of pages as oneself. Only for personal tokens, which have a credit limit, and
 * for apps that are limited to one page, where the person's consent for that page is the limit.
 */
export const FEATURES_SCOPE = 'features';

/**
 * The scope to call the functions of a page as its visitor: they learn who that is. Only for apps that are limited to
 * one page.
 */
export const CALL_SCOPE = 'functions:call';

/** The scope to administer the server, for administrators whose token asks for it. */
export const ADMIN_SCOPE = 'admin';

/** The scope to manage one's own tokens: for tokens obtained with a password, never for personal ones. */
export const ACCOUNT_SCOPE = 'account';

/** The scopes of a token obtained with a password, unless it asks for fewer. */
export const PASSWORD_SCOPES = [...SCOPES, ACCOUNT_SCOPE] as const;

/** What each scope allows, for people. */
export const SCOPE_MEANINGS: Record<
  Scope | typeof FEATURES_SCOPE | typeof CALL_SCOPE | typeof ADMIN_SCOPE | typeof ACCOUNT_SCOPE,
  string
> = {
  'pages:read': 'Read your pages and the messages from their forms',
  'pages:write': 'Publish, edit and delete pages, with their data; draw previews with your credits',
  'functions:read': 'Read functions, their code and logs',
  'functions:write': 'Deploy, call and delete functions, set secrets, run SQL',
  'solo-data:read': 'Read your private data on pages',
  'solo-data:write': 'Edit your private data on pages',
  'team-data:read': 'Read the data of your teams',
  'team-data:write': 'Edit the data and files of your teams, invite people',
  'social-data:read': 'Read public data',
  'social-data:write': 'Write public data in your name',
  [FEATURES_SCOPE]: 'Use chat, images and other features of pages with your credits',
  [CALL_SCOPE]: 'Call the functions of the page, which learn who you are',
  [ACCOUNT_SCOPE]: 'Create and revoke your tokens, export your data',
  [ADMIN_SCOPE]: 'Administer this server',
};

/** The scopes that an app can have: never to manage tokens, and never to administer the server. */
export const APP_SCOPES: readonly Scope[] = SCOPES;

/** A scope that an app can ask for. */
export type AppScope = Scope | typeof FEATURES_SCOPE | typeof CALL_SCOPE;

/**
 * The scopes of an app on a single page, as its visitor. A page asks only for those that it can use. The consent for
 * that page limits what the app spends.
 */
export const PAGE_SCOPES: readonly AppScope[] = [
  ...SCOPES.filter((scope) => scope.includes('-data:')),
  FEATURES_SCOPE,
  CALL_SCOPE,
];
