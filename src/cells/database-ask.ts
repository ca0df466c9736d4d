/** Asks a host for one of its databases; `socket` is where it answers, `key` what it wants to see. */
export function askDatabase(
  { socket, key }: { socket: string; key: string },
  databaseId: number,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`http://database${path}`, {
    method: 'POST',
    ...init,
    headers: { 'x-quire-database': databaseName(databaseId), 'x-quire-key': key },
    unix: socket,
  } as RequestInit);
}

/** A database's name at its host. */
export function databaseName(databaseId: number): string {
  return `database-${databaseId}`;
}
