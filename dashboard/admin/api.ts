import { api } from '../api.ts';

/** The endpoints of the administration screens. */

export interface User {
  id: number;
  username: string;
  email: string;
  isAdmin: boolean;
  createdAt: string;
  pages: number;
  functions: number;
  storedBytes: number;
  credits: number;
}

export interface Health {
  version: string;
  uptimeSeconds: number;
  isolation: string;
  sandbox: string;
  cells: number;
  maxCells: number;
  embedded: string[];
  external: string[];
  providers: Record<string, string>;
  disk: { freeBytes: number; totalBytes: number; databaseBytes: number | null };
  history: Array<{ at: string; memoryBytes: number; cpuPercent: number; cells: number }>;
}

export const listUsers = (q: string, offset: number) =>
  api.get<{ users: User[]; total: number; limit: number }>(
    `/api/admin/users?limit=25&offset=${offset}${q && `&q=${encodeURIComponent(q)}`}`,
  );

export const giveCredits = (userId: number, credits: number, reason: string) =>
  api.post<{ balance: number }>(`/api/admin/users/${userId}/credits`, { credits, reason });

export const readHealth = () => api.get<Health>('/api/admin/health');
