import type { GrantableRole, Role } from './api.ts';

/** The roles of a team, the highest first. */
export const ROLES: ReadonlyArray<{ role: Role; name: string; may: string }> = [
  { role: 'owner', name: 'Owner', may: 'Everything, also deleting the page. There is one, and they stay.' },
  {
    role: 'admin',
    name: 'Admin',
    may: 'Changes the page and all its data, invites and manages members and viewers.',
  },
  { role: 'member', name: 'Member', may: 'Reads everything; adds records and files and changes their own.' },
  { role: 'viewer', name: 'Viewer', may: 'Reads records and downloads files.' },
];

export const nameOf = (role: Role) => ROLES.find((known) => known.role === role)?.name ?? role;

const rank = (role: Role) => ROLES.findIndex((known) => known.role === role);

/** Whether the first role is above the other. */
export const outranks = (one: Role, other: Role) => rank(one) < rank(other);

/** Whether somebody may give, change or take away a role. */
export const mayManage = (mine: Role, theirs: Role) => rank(mine) <= 1 && outranks(mine, theirs);

/** The roles that somebody may give. */
export function grantableBy(mine: Role): Array<readonly [GrantableRole, string]> {
  const below = ROLES.filter(({ role }) => mayManage(mine, role));
  return below.map(({ role, name }) => [role as GrantableRole, name]);
}
