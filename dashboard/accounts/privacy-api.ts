import type {
  AccountDeleted,
  StoredDeleted,
  StoredList,
  StoredOnPage,
} from '../../contract/people/privacy.ts';
import { api } from '../api.ts';
import type { Proof } from './proof.tsx';

/** The endpoints of leaving with one's data. */

export type { StoredOnPage };

/** A plain link: the browser shows how far the download is, and needs no memory for it. */
export const EXPORT_PATH = '/api/auth/export';

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
