import type { GrantableRole, Role } from '../../../contract/roles.ts';
import type {
  FileList,
  Invite,
  InviteList,
  ListedInvite,
  MailedInvite,
  Member,
  MemberList,
  NewInvite,
  NewMailedInvite,
  RoleBody,
  TeamFile,
} from '../../../contract/teams/teams.ts';
import { api, request, toApiError, upload } from '../../api.ts';
import type { PageDetail } from '../api.ts';

/** The endpoints that the team screen uses. */

export type { GrantableRole, InviteList, ListedInvite, Member, Role, TeamFile };

/** What the screens of a team need to know of its page. */
export type TeamPage = Pick<PageDetail, 'id' | 'name' | 'storageMode'>;

const team = (pageId: number) => `/api/pages/${pageId}/team`;
const files = (pageId: number) => `/api/pages/${pageId}/team-files`;

export async function listMembers(pageId: number, signal?: AbortSignal): Promise<Member[]> {
  return (await api.get<MemberList>(team(pageId), signal && { signal })).members;
}

export const changeRole = (pageId: number, userId: number, role: GrantableRole) =>
  api.patch<Member>(`${team(pageId)}/${userId}`, { role } satisfies RoleBody);

export const removeMember = (pageId: number, userId: number | 'me') =>
  api.delete(`${team(pageId)}/${userId}`);

export const listInvites = (pageId: number, signal?: AbortSignal) =>
  api.get<InviteList>(`${team(pageId)}/invites`, signal && { signal });

export const createInvite = (pageId: number, invite: NewInvite) =>
  api.post<Invite>(`${team(pageId)}/invite`, invite);

/** Creates an invite and sends it by mail. */
export const sendInvite = (pageId: number, invite: NewMailedInvite) =>
  api.post<MailedInvite>(`${team(pageId)}/invites`, invite);

export const revokeInvite = (pageId: number, id: string) => api.delete(`${team(pageId)}/invites/${id}`);

export async function listFiles(pageId: number, signal?: AbortSignal): Promise<TeamFile[]> {
  return (await api.get<FileList>(files(pageId), signal && { signal })).files;
}

export const deleteFile = (pageId: number, id: string) => api.delete(`${files(pageId)}/${id}`);

export async function downloadFile(pageId: number, id: string): Promise<Blob> {
  const response = await request('GET', `${files(pageId)}/${id}`);
  if (!response.ok) throw await toApiError(response);
  return response.blob();
}

export function uploadFile(
  pageId: number,
  file: File,
  onProgress: (sent: number, total: number) => void,
): Promise<TeamFile> {
  const form = new FormData();
  form.set('file', file);
  return upload('POST', files(pageId), form, { onProgress });
}
