import type {
  CredentialOptions,
  Passkey,
  PasskeyList,
  RecoveryCodes,
} from '../../../contract/accounts/passkeys.ts';
import type { Done } from '../../../contract/fields.ts';
import { api } from '../../api.ts';
import type { Proof } from '../proof.tsx';

/** The endpoints of passkeys and the second factor. */

export type { Passkey, PasskeyList };

const PASSKEYS = '/api/auth/passkeys';
const SECOND_FACTOR = '/api/auth/second-factor';

export const listPasskeys = () => api.get<PasskeyList>(PASSKEYS);

export const startPasskey = (proof: Proof) => api.post<CredentialOptions>(`${PASSKEYS}/options`, proof);

export const addPasskey = (credential: unknown) => api.post<Passkey>(PASSKEYS, { credential });

export const renamePasskey = (id: number, name: string) => api.patch<Passkey>(`${PASSKEYS}/${id}`, { name });

export const removePasskey = (id: number, proof: Proof) => api.post<Done>(`${PASSKEYS}/${id}/remove`, proof);

export const turnOnSecondFactor = (proof: Proof) => api.post<RecoveryCodes>(SECOND_FACTOR, proof);

export const turnOffSecondFactor = (proof: Proof) => api.post<Done>(`${SECOND_FACTOR}/off`, proof);

export const replaceRecoveryCodes = (proof: Proof) =>
  api.post<RecoveryCodes>('/api/auth/recovery-codes', proof);
