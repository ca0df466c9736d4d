import { signal } from '@preact/signals';
import { api, scopes } from './api.ts';

/** Who is logged in. */
export interface Me {
  id: number;
  username: string;
  credits: number;
  isAdmin: boolean;
}

export const me = signal<Me | undefined>(undefined);

/** Reads who is logged in, and again after something changed their credits. */
export async function loadMe(): Promise<void> {
  const [granted, { user }] = await Promise.all([
    scopes(),
    api.get<{ user: Omit<Me, 'isAdmin'> }>('/api/auth/me'),
  ]);
  me.value = { ...user, isAdmin: granted.includes('admin') };
}
