import type { StoredOnPage } from '../../contract/accounts/privacy.ts';
import { privacyEndpoints } from '../../contract/accounts/privacy-endpoints.ts';
import { call } from '../api.ts';
import type { Proof } from './proof.tsx';

/** The endpoints of leaving with one's data. */

export type { StoredOnPage };

/** The path of a download: the browser shows how far it is, and needs no memory for it. */
export const startExport = (body: Proof) => call(privacyEndpoints.startExport, { body });

export const listStored = () => call(privacyEndpoints.listStored);

/** Deletes everything on a page, in as many requests as it takes. `onPart` gets how much is gone so far. */
export async function deleteStored(pageId: number, onPart: (deleted: number) => void): Promise<number> {
  for (let deleted = 0; ; ) {
    const part = await call(privacyEndpoints.deleteStored, { params: { id: pageId } });
    deleted += part.deleted;
    onPart(deleted);
    if (part.isDone) return deleted;
  }
}

export const deleteAccount = (username: string, proof: Proof) =>
  call(privacyEndpoints.deleteAccount, { body: { username, ...proof } });
