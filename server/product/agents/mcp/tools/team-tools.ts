import type { Definition } from './definition.ts';

const PAGE = { id: { type: 'string', description: 'The id or slug of the page.' } };
const NAMES = 'names that people chose for themselves';

/** The team of a page, and invites to it. */
export const teamTools: Definition[] = [
  {
    name: 'list_team',
    title: 'List the team',
    description: 'Lists the members of the team of a page with their roles.',
    method: 'GET',
    path: '/api/pages/:id/team',
    effect: 'read',
    source: NAMES,
    input: PAGE,
  },
  {
    name: 'list_invites',
    title: 'List invites',
    description: 'Lists the open invites to the team of a page, without their links.',
    method: 'GET',
    path: '/api/pages/:id/team/invites',
    effect: 'read',
    source: NAMES,
    input: PAGE,
  },
  {
    name: 'create_invite',
    title: 'Create an invite',
    description:
      'Creates a link with which others can join the team of a page. Anyone with the link can join, so give it to your user only.',
    method: 'POST',
    path: '/api/pages/:id/team/invite',
    effect: 'write',
    input: PAGE,
  },
  {
    name: 'revoke_invite',
    title: 'Revoke an invite',
    description: 'Revokes an invite, so that nobody can join with it anymore. Members stay.',
    method: 'DELETE',
    path: '/api/pages/:id/team/invites/:inviteId',
    effect: 'destructive',
    input: PAGE,
  },
];
