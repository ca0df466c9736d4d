import { passkeyEndpoints } from '../../../contract/accounts/passkey-endpoints.ts';
import type { NewCredential, Passkey, PasskeyList } from '../../../contract/accounts/passkeys.ts';
import { call } from '../../api.ts';
import type { Proof } from '../proof.tsx';

/** The endpoints of passkeys and the second factor. */

export type { Passkey, PasskeyList };

export const listPasskeys = () => call(passkeyEndpoints.listPasskeys);

export const startPasskey = (body: Proof) => call(passkeyEndpoints.startPasskey, { body });

export const addPasskey = (credential: NewCredential) =>
  call(passkeyEndpoints.addPasskey, { body: { credential } });

export const renamePasskey = (id: number, name: string) =>
  call(passkeyEndpoints.renamePasskey, { params: { id }, body: { name } });

export const removePasskey = (id: number, body: Proof) =>
  call(passkeyEndpoints.removePasskey, { params: { id }, body });

export const turnOnSecondFactor = (body: Proof) => call(passkeyEndpoints.turnOnSecondFactor, { body });

export const turnOffSecondFactor = (body: Proof) => call(passkeyEndpoints.turnOffSecondFactor, { body });

export const replaceRecoveryCodes = (body: Proof) => call(passkeyEndpoints.replaceRecoveryCodes, { body });
