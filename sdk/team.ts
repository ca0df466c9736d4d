import { request, requestJson } from './api.ts';
import type { Self } from './self.ts';
import type { Visitor } from './visitor.ts';

type Team = Omit<Quire.TeamData, Exclude<keyof Quire.Collections, 'can'>>;

export function createTeam({ api }: Self, visitor: Visitor, collections: Quire.Collections): Team {
  const files = `${api}/team-files`;
  const fileUrl = (id: string) => `${files}/${encodeURIComponent(id)}`;
  const downloadFile = async (id: string) => (await request(fileUrl(id))).blob();

  return {
    getRole: visitor.role,
    can(action, collection?: string, record?: Pick<Quire.StoredRecord, 'createdBy'>) {
      const role = visitor.role();
      if (action === 'invite' || action === 'manage') return role === 'admin' || role === 'owner';
      return collections.can(action, collection, record);
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
      // In sandbox isolation, links and images do not send the page session.
      return window.origin === 'null' ? URL.createObjectURL(await downloadFile(id)) : fileUrl(id);
    },
    downloadFile,
    async deleteFile(id) {
      await request(fileUrl(id), { method: 'DELETE' });
    },
  };
}
