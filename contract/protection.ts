import type { Changes, Endpoint } from './endpoint.ts';

/** What an endpoint changes. With a scope to write, it changes the application unless it says otherwise. */
export function readChanges({
  method,
  access,
  changes,
}: Pick<Endpoint, 'method' | 'access' | 'changes'>): Changes {
  if (method === 'GET') return 'nothing';
  return changes ?? (access.scope?.endsWith(':write') ? 'application' : 'nothing');
}

/** Whether programs can be refused with `PROTECTED`. */
export const canBeProtected = (endpoint: Pick<Endpoint, 'method' | 'access' | 'changes'>) =>
  readChanges(endpoint) !== 'nothing';
