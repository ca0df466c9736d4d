import { binary, NoFields } from '../../../contract/fields.ts';
import {
  codeParams,
  FileList,
  fileParams,
  Invitation,
  Invite,
  InviteBody,
  InviteList,
  inviteParams,
  Joined,
  MailedInvite,
  MailedInviteBody,
  Member,
  MemberList,
  memberParams,
  pageParams,
  RoleBody,
  TeamFile,
  TeamList,
  UploadForm,
  userParams,
} from '../../../contract/teams/teams.ts';
import { type Route, route, signedIn, signedInCaller } from '../../platform/http/index.ts';
import type { TeamsContext } from './context.ts';
import { downloadFile, readFiles, removeFile, uploadFile } from './files.ts';
import { createInvite, readInvites, revokeInvite, sendInvite } from './invite.ts';
import { join, readInvitation } from './join.ts';
import { changeRole, readMembers, readTeams, removeMember } from './members.ts';
import { toFile, toListedInvite, toMember, toPage, toTeam } from './wire.ts';

const READ = { kind: 'visitor', scope: 'team-data:read' } as const;
const WRITE = { kind: 'visitor', scope: 'team-data:write' } as const;

export function teamRoutes(context: TeamsContext): Route[] {
  return [
    ...newInviteRoutes(context),
    ...inviteRoutes(context),
    ...memberRoutes(context),
    ...joinRoutes(context),
    ...fileRoutes(context),
  ];
}

function newInviteRoutes(context: TeamsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/pages/:id/team/invite',
      operationId: 'createInvite',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Create a link with which others can join the team of a page',
      params: pageParams,
      body: InviteBody,
      bodyOptional: true,
      response: Invite,
      handle: ({ params, body, caller }) => createInvite(context, signedInCaller(caller), params.id, body),
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/team/invites',
      operationId: 'sendInvite',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED', 'NOT_INSTALLED'],
      // Not `visitor`: a page must not write to people in the name of its visitor.
      access: { kind: 'owner', scope: 'team-data:write' },
      summary: 'Create a link with which others can join the team of a page, and send it by mail',
      params: pageParams,
      body: MailedInviteBody,
      status: 201,
      response: MailedInvite,
      handle: ({ params, body, caller }) => sendInvite(context, signedInCaller(caller), params.id, body),
    }),
  ];
}

function inviteRoutes(context: TeamsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/team/invites',
      operationId: 'listInvites',
      failures: ['CONFLICT'],
      access: READ,
      summary: 'List the open invites, newest first and without their codes',
      params: pageParams,
      response: InviteList,
      async handle({ params, caller }) {
        const rows = await readInvites(context, signedInCaller(caller), params.id);
        return { invites: rows.map(toListedInvite), sendsMail: context.mail.isConfigured };
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/pages/:id/team/invites/:inviteId',
      operationId: 'deleteInvite',
      failures: ['CONFLICT'],
      access: WRITE,
      summary: 'Revoke an invite, so that nobody can join with it anymore',
      params: inviteParams,
      status: 204,
      handle: ({ params, caller }) =>
        revokeInvite(context, signedInCaller(caller), params.id, params.inviteId),
    }),
  ];
}

function memberRoutes(context: TeamsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/team',
      operationId: 'listMembers',
      failures: ['CONFLICT'],
      access: READ,
      summary: 'List the team of a page, its owner first',
      params: pageParams,
      response: MemberList,
      async handle({ params, caller }) {
        const rows = await readMembers(context, signedInCaller(caller), params.id);
        return { members: rows.map(toMember) };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/pages/:id/team/:userId',
      operationId: 'updateMember',
      failures: ['CONFLICT'],
      access: WRITE,
      summary: 'Give a member of the team another role',
      params: userParams,
      body: RoleBody,
      response: Member,
      async handle({ params: { id, userId }, body, caller }) {
        return toMember(await changeRole(context, signedInCaller(caller), id, userId, body.role));
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/pages/:id/team/:userId',
      operationId: 'removeMember',
      failures: ['CONFLICT'],
      access: WRITE,
      summary: 'Remove a member from the team, or leave it yourself (`me`)',
      params: memberParams,
      status: 204,
      async handle({ params: { id, userId }, caller }) {
        const me = signedInCaller(caller);
        await removeMember(context, me, id, userId === 'me' ? me.actor.userId : userId);
      },
    }),
  ];
}

function joinRoutes(context: TeamsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/join/:code',
      operationId: 'getInvite',
      access: { kind: 'owner or guest', scope: 'team-data:read' },
      summary: 'Look at an invite without using it',
      params: codeParams,
      response: Invitation,
      async handle({ params, actor }) {
        const { page, offered, held } = await readInvitation(context, actor, params.code);
        return {
          type: 'team',
          team: { role: offered },
          page: toPage(page),
          isMember: held !== undefined,
          isAuthenticated: actor !== undefined,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/teams',
      operationId: 'listTeams',
      // Not `visitor`: a page must not learn which other teams its visitor is in.
      access: { kind: 'owner', scope: 'team-data:read' },
      summary: 'List the pages of other people whose team you are in, last joined first',
      response: TeamList,
      async handle({ actor }) {
        const rows = await readTeams(context, signedIn(actor));
        return { teams: rows.map((row) => toTeam(row, context.baseUrl)) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/join/:code',
      operationId: 'joinTeam',
      failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
      // Not `visitor`: a page's script must not join its visitor to another page's team.
      access: { kind: 'owner', scope: 'team-data:write' },
      summary: 'Join the team that an invite is for',
      params: codeParams,
      body: NoFields,
      bodyOptional: true,
      response: Joined,
      handle: ({ params, actor }) => join(context, signedIn(actor), params.code),
    }),
  ];
}

function fileRoutes(context: TeamsContext): Route[] {
  return [uploadRoute(context), ...storedFileRoutes(context)];
}

function uploadRoute(context: TeamsContext): Route {
  return route({
    method: 'POST',
    path: '/api/pages/:id/team-files',
    operationId: 'uploadTeamFile',
    bodyType: 'multipart/form-data',
    bodySchema: UploadForm,
    failures: ['CONFLICT', 'QUOTA_EXCEEDED'],
    access: WRITE,
    summary:
      'Upload a file for the team: multipart/form-data with one file of at most 10 MB in the field `file`',
    params: pageParams,
    status: 201,
    response: TeamFile,
    async handle({ params, caller, request }) {
      return toFile(await uploadFile(context, signedInCaller(caller), params.id, request));
    },
  });
}

function storedFileRoutes(context: TeamsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/team-files',
      operationId: 'listTeamFiles',
      failures: ['CONFLICT'],
      access: READ,
      summary: "List the team's files, newest first",
      params: pageParams,
      response: FileList,
      async handle({ params, caller }) {
        const rows = await readFiles(context, signedInCaller(caller), params.id);
        return { files: rows.map(toFile) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pages/:id/team-files/:fileId',
      operationId: 'downloadTeamFile',
      answers: [
        {
          status: 200,
          description: 'The file, of the type it was uploaded with.',
          type: '*/*',
          schema: binary,
          headers: ['Content-Disposition'],
        },
      ],
      failures: ['CONFLICT'],
      access: READ,
      summary: "Download one of the team's files",
      params: fileParams,
      handle: ({ params, caller }) => downloadFile(context, signedInCaller(caller), params.id, params.fileId),
    }),
    route({
      method: 'DELETE',
      path: '/api/pages/:id/team-files/:fileId',
      operationId: 'deleteTeamFile',
      failures: ['CONFLICT'],
      access: WRITE,
      summary: "Delete one of the team's files",
      params: fileParams,
      status: 204,
      handle: ({ params, caller }) => removeFile(context, signedInCaller(caller), params.id, params.fileId),
    }),
  ];
}
