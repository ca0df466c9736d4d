/** The roles on the team of a page, from highest to lowest. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

/** The roles that can be given. A page has one owner, who cannot be changed this way. */
export const GRANTABLE = ['admin', 'member', 'viewer'] as const;
export type GrantableRole = (typeof GRANTABLE)[number];
