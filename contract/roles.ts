/** What somebody is on the team of a page, from most to least. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that can be given to somebody. A page has one owner, and ownership is not passed on this way. */
export const GRANTABLE = ['admin', 'member', 'viewer'] as const;
export type GrantableRole = (typeof GRANTABLE)[number];
