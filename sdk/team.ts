import { request, requestJson } from './api.ts';
import type { Self } from './self.ts';
import type { Visitor } from './visitor.ts';

type Team = Omit<Quire.TeamData, keyof Quire.Collections>;
type Action = Parameters<Team['can']>[0];

const ROLES: Quire.Role[] = ['owner', 'admin', 'member', 'viewer'];
/** The least that one must be. */
const NEEDED: Record<Action, Quire.Role> = {
  read: 'viewer',
  create: 'member',
  update: 'member',
  delete: 'member',
  invite: 'admin',
  manage: 'admin',
};

export function createTeam({ api }: Self, visitor: Visitor): Team {
  const files = `${api}/team-files`;
  const fileAddress = (id: string) => `${files}/${encodeURIComponent(id)}`;
  const downloadFile = async (id: string) => (await request(fileAddress(id))).blob();

  return {
    getRole: visitor.role,
    can(action) {
      const role = visitor.role();
      return role !== null && ROLES.indexOf(role) <= ROLES.indexOf(NEEDED[action]);
    },
    async getMembers() {
      return (await requestJson<{ members: Quire.Member[] }>(`${api}/team`)).members;
    },
    createInvite: (options = {}) => requestJson(`${api}/team/invite`, 'POST', options),
    async uploadFile(file) {
      const body = new FormData();
      body.set('file', file);
      return (await request(files, { method: 'POST', body })).json();
    },
    async listFiles() {
      return (await requestJson<{ files: Quire.TeamFile[] }>(files)).files;
    },
    async getDownloadUrl(id) {
      // Without an origin of its own, a link or a picture of the page would not bring the page session along.
      return window.origin === 'null' ? URL.createObjectURL(await downloadFile(id)) : fileAddress(id);
    },
    downloadFile,
    async deleteFile(id) {
      await request(fileAddress(id), { method: 'DELETE' });
    },
  };
}
