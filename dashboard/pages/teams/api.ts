import type { GrantableRole, Role } from '../../../contract/roles.ts';
import { teamEndpoints } from '../../../contract/teams/endpoints.ts';
import type {
  InviteList,
  ListedInvite,
  Member,
  NewInvite,
  NewMailedInvite,
  TeamFile,
} from '../../../contract/teams/teams.ts';
import { call, request, upload } from '../../api.ts';
import type { PageDetail } from '../api.ts';

/** The endpoints that the team screen uses. */

export type { GrantableRole, InviteList, ListedInvite, Member, Role, TeamFile };

/** What the screens of a team need to know of its page. */
export type TeamPage = Pick<PageDetail, 'id' | 'name' | 'storageMode' | 'branch'>;

export const listMembers = async (id: number, signal?: AbortSignal) =>
  (await call(teamEndpoints.listMembers, { params: { id }, signal })).members;

export const changeRole = (id: number, userId: number, role: GrantableRole) =>
  call(teamEndpoints.updateMember, { params: { id, userId }, body: { role } });

export const removeMember = (id: number, userId: number | 'me') =>
  call(teamEndpoints.removeMember, { params: { id, userId } });

export const listInvites = (id: number, signal?: AbortSignal) =>
  call(teamEndpoints.listInvites, { params: { id }, signal });

export const createInvite = (id: number, body: NewInvite) =>
  call(teamEndpoints.createInvite, { params: { id }, body });

/** Creates an invite and sends it by mail. */
export const sendInvite = (id: number, body: NewMailedInvite) =>
  call(teamEndpoints.sendInvite, { params: { id }, body });

export const revokeInvite = (id: number, inviteId: string) =>
  call(teamEndpoints.deleteInvite, { params: { id, inviteId } });

export const listFiles = async (id: number, signal?: AbortSignal) =>
  (await call(teamEndpoints.listTeamFiles, { params: { id }, signal })).files;

export const deleteFile = (id: number, fileId: string) =>
  call(teamEndpoints.deleteTeamFile, { params: { id, fileId } });

export const downloadFile = async (id: number, fileId: string) =>
  (await request(teamEndpoints.downloadTeamFile, { params: { id, fileId } })).blob();

export function uploadFile(id: number, file: File, onProgress: (sent: number, total: number) => void) {
  const form = new FormData();
  form.set('file', file);
  return upload(teamEndpoints.uploadTeamFile, { params: { id }, onProgress }, form);
}
