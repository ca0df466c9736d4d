import { signal } from '@preact/signals';
import { api, scopes } from './api.ts';

/** The user who is logged in. */
export interface Me {
  id: number;
  username: string;
  credits: number;
  isAdmin: boolean;
}

export const me = signal<Me | undefined>(undefined);

/** Loads the user who is logged in. Call it again after their credits change. */
export async function loadMe(): Promise<void> {
  const [granted, { user }] = await Promise.all([
    scopes(),
    api.get<{ user: Omit<Me, 'isAdmin'> }>('/api/auth/me'),
  ]);
  me.value = { ...user, isAdmin: granted.includes('admin') };
}
