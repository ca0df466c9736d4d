import { t } from '../../texts/index.ts';
import type { GrantableRole, ListedInvite, Role } from './api.ts';

/** The roles of a team, highest first. */
export const ROLES: ReadonlyArray<{ role: Role; name: string; may: string }> = [
  {
    role: 'owner',
    name: t('Owner'),
    may: t('Can do everything, including deleting the page. A page has one owner, who cannot leave.'),
  },
  {
    role: 'admin',
    name: t('Admin'),
    may: t('Can edit the page and all its data, and invite and manage members and viewers.'),
  },
  {
    role: 'member',
    name: t('Member'),
    may: t('Can read everything, add records and files, and edit their own.'),
  },
  { role: 'viewer', name: t('Viewer'), may: t('Can read records and download files.') },
];

export const nameRole = (role: Role) => ROLES.find((known) => known.role === role)?.name ?? role;

/** The same inside a sentence. */
export function roleInSentence(role: Role): string {
  switch (role) {
    case 'owner':
      return t('owner');
    case 'admin':
      return t('admin');
    case 'member':
      return t('member');
    case 'viewer':
      return t('viewer');
  }
}

/** Of the button that revokes an invite. */
export function makeRevokeLabel({ role, email }: Pick<ListedInvite, 'role' | 'email'>): string {
  if (email) return t('Revoke the invite for {name}', { name: email });
  switch (role) {
    case 'admin':
      return t('Revoke the invite for admins');
    case 'member':
      return t('Revoke the invite for members');
    case 'viewer':
      return t('Revoke the invite for viewers');
  }
}

const rank = (role: Role) => ROLES.findIndex((known) => known.role === role);

/** True if the first role is above the second. */
export const outranks = (one: Role, other: Role) => rank(one) < rank(other);

/** True if someone with the first role can give, change or remove the second. */
export const mayManage = (mine: Role, theirs: Role) => rank(mine) <= 1 && outranks(mine, theirs);

/** The roles that someone with this role can give. */
export function grantableBy(mine: Role): Array<readonly [GrantableRole, string]> {
  const below = ROLES.filter(({ role }) => mayManage(mine, role));
  return below.map(({ role, name }) => [role as GrantableRole, name]);
}
