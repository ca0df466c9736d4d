/**
 * Asks a host for one of its databases; `socket` is where it answers, `key` what it wants to see. One that holds
 * databases of many owners wants to know for whom.
 */
export function askDatabase(
  { socket, key, ownerId }: { socket: string; key: string; ownerId?: number },
  databaseId: number,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`http://database${path}`, {
    method: 'POST',
    ...init,
    headers: {
      'x-quire-database': databaseName(databaseId),
      'x-quire-key': key,
      ...(ownerId !== undefined && { 'x-quire-owner': String(ownerId) }),
    },
    unix: socket,
  } as RequestInit);
}

/** A database's name at its host. */
export function databaseName(databaseId: number): string {
  return `database-${databaseId}`;
}

/** And back. */
export function databaseIdOf(name: string): number {
  return Number(name.slice('database-'.length));
}
