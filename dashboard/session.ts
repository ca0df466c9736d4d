import { signal } from '@preact/signals';
import type { Me as Answer } from '../contract/accounts/accounts.ts';
import { sessionEndpoints } from '../contract/accounts/session-endpoints.ts';
import { ADMIN_SCOPE } from '../contract/scopes.ts';
import { call, scopes } from './api.ts';

/** The user who is logged in. */
export type Me = Answer['user'] & { isAdmin: boolean };

export const me = signal<Me | undefined>(undefined);

/** Loads the user who is logged in. Call it again after their credits change. */
export async function loadMe(): Promise<void> {
  const [granted, { user }] = await Promise.all([scopes(), call(sessionEndpoints.getMe)]);
  me.value = { ...user, isAdmin: granted.includes(ADMIN_SCOPE) };
}
