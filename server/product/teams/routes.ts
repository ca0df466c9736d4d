import { teamEndpoints } from '../../../contract/teams/endpoints.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import type { TeamsContext } from './context.ts';
import { downloadFile, readFiles, removeFile, uploadFile } from './files.ts';
import { createInvite, readInvites, revokeInvite, sendInvite } from './invite.ts';
import { join, readInvitation } from './join.ts';
import { changeRole, readMembers, readTeams, removeMember } from './members.ts';
import { toFile, toListedInvite, toMember, toPage, toTeam } from './wire.ts';

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
    handle(teamEndpoints.createInvite, ({ params, body, caller }) =>
      createInvite(context, caller, params.id, body),
    ),
    handle(teamEndpoints.sendInvite, ({ params, body, caller }) =>
      sendInvite(context, caller, params.id, body),
    ),
  ];
}

function inviteRoutes(context: TeamsContext): Route[] {
  return [
    handle(teamEndpoints.listInvites, async ({ params, caller }) => {
      const rows = await readInvites(context, caller, params.id);
      return { invites: rows.map(toListedInvite), sendsMail: context.mail.isConfigured };
    }),
    handle(teamEndpoints.deleteInvite, ({ params, caller }) =>
      revokeInvite(context, caller, params.id, params.inviteId),
    ),
  ];
}

function memberRoutes(context: TeamsContext): Route[] {
  return [
    handle(teamEndpoints.listMembers, async ({ params, caller }) => {
      const rows = await readMembers(context, caller, params.id);
      return { members: rows.map(toMember) };
    }),
    handle(teamEndpoints.updateMember, async ({ params: { id, userId }, body, caller }) => {
      return toMember(await changeRole(context, caller, id, userId, body.role));
    }),
    handle(teamEndpoints.removeMember, async ({ params: { id, userId }, caller }) => {
      await removeMember(context, caller, id, userId === 'me' ? caller.actor.userId : userId);
    }),
  ];
}

function joinRoutes(context: TeamsContext): Route[] {
  return [
    handle(teamEndpoints.getInvite, async ({ params, actor }) => {
      const { page, offered, held } = await readInvitation(context, actor, params.code);
      return {
        type: 'team',
        team: { role: offered },
        page: toPage(page),
        isMember: held !== undefined,
        isAuthenticated: actor !== undefined,
      };
    }),
    handle(teamEndpoints.listTeams, async ({ actor }) => {
      const rows = await readTeams(context, actor);
      return { teams: rows.map((row) => toTeam(row, context.baseUrl)) };
    }),
    handle(teamEndpoints.joinTeam, ({ params, actor }) => join(context, actor, params.code)),
  ];
}

function fileRoutes(context: TeamsContext): Route[] {
  return [uploadRoute(context), ...storedFileRoutes(context)];
}

function uploadRoute(context: TeamsContext): Route {
  return handle(teamEndpoints.uploadTeamFile, async ({ params, caller, request }) => {
    return toFile(await uploadFile(context, caller, params.id, request));
  });
}

function storedFileRoutes(context: TeamsContext): Route[] {
  return [
    handle(teamEndpoints.listTeamFiles, async ({ params, caller }) => {
      const rows = await readFiles(context, caller, params.id);
      return { files: rows.map(toFile) };
    }),
    handle(teamEndpoints.downloadTeamFile, ({ params, caller }) =>
      downloadFile(context, caller, params.id, params.fileId),
    ),
    handle(teamEndpoints.deleteTeamFile, ({ params, caller }) =>
      removeFile(context, caller, params.id, params.fileId),
    ),
  ];
}
