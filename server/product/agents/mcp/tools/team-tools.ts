import { teamEndpoints } from '../../../../../contract/teams/endpoints.ts';
import { type Definition, tool } from './definition.ts';

const PAGE = { id: { type: 'string', description: 'The id or slug of the page.' } };
const NAMES = 'names that people chose for themselves';

/** Tools for the team of a page, and invites to it. */
export const teamTools: Definition[] = [
  tool(teamEndpoints.listMembers, {
    name: 'list_team',
    title: 'List the team',
    description: 'Lists the members of the team of a page with their roles.',
    effect: 'read',
    source: NAMES,
    input: PAGE,
  }),
  tool(teamEndpoints.listInvites, {
    name: 'list_invites',
    title: 'List invites',
    description: 'Lists the open invites to the team of a page, without their links.',
    effect: 'read',
    source: NAMES,
    input: PAGE,
  }),
  tool(teamEndpoints.createInvite, {
    name: 'create_invite',
    title: 'Create an invite',
    description:
      'Creates a link with which others can join the team of a page. Anyone with the link can join, so give it to your user only.',
    effect: 'write',
    input: PAGE,
  }),
  tool(teamEndpoints.deleteInvite, {
    name: 'revoke_invite',
    title: 'Revoke an invite',
    description: 'Revokes an invite, so that nobody can join with it anymore. Members stay.',
    effect: 'destructive',
    input: PAGE,
  }),
];
