import { teamEndpoints } from '../../../../../contract/teams/endpoints.ts';
import { type Definition, tool } from './definition.ts';

const PAGE = { id: { type: 'string' } };
const NAMES = 'names that people chose for themselves';

/** Tools for the team of a page, and invites to it. */
export const teamTools: Definition[] = [
  tool(teamEndpoints.listMembers, {
    group: 'people',
    name: 'list_team',
    title: 'List the team',
    description: 'Lists the members of a page’s team with their roles; with invites=true the open invites.',
    effect: 'read',
    source: NAMES,
    also: [{ given: 'invites', is: true, endpoint: teamEndpoints.listInvites }],
    adds: ['invites'],
    input: { ...PAGE, invites: { type: 'boolean' } },
  }),
  tool(teamEndpoints.createInvite, {
    group: 'people',
    name: 'create_invite',
    title: 'Create an invite',
    description: 'Creates a link to join a page’s team. Anyone with it can join: give it to your user only.',
    effect: 'write',
    input: PAGE,
  }),
  tool(teamEndpoints.deleteInvite, {
    group: 'people',
    name: 'revoke_invite',
    title: 'Revoke an invite',
    description: 'Revokes an invite. Members stay.',
    effect: 'destructive',
    input: PAGE,
  }),
];
