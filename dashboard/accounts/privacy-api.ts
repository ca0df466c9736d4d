import type {
  AccountDeleted,
  ExportLink,
  StoredDeleted,
  StoredList,
  StoredOnPage,
} from '../../contract/accounts/privacy.ts';
import { api } from '../api.ts';
import type { Proof } from './proof.tsx';

/** The endpoints of leaving with one's data. */

export type { StoredOnPage };

/** The path of a download: the browser shows how far it is, and needs no memory for it. */
export const startExport = (proof: Proof) => api.post<ExportLink>('/api/auth/export', proof);

export const listStored = () => api.get<StoredList>('/api/auth/stored');

/** Deletes everything on a page, in as many requests as it takes. `onPart` gets how much is gone so far. */
export async function deleteStored(pageId: number, onPart: (deleted: number) => void): Promise<number> {
  for (let deleted = 0; ; ) {
    const part = await api.delete<StoredDeleted>(`/api/auth/stored/${pageId}`);
    deleted += part.deleted;
    onPart(deleted);
    if (part.isDone) return deleted;
  }
}

export const deleteAccount = (username: string, proof: Proof) =>
  api.post<AccountDeleted>('/api/auth/account/delete', { username, ...proof });
