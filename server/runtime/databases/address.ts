import { createHmac } from 'node:crypto';
import { DATABASE_HEADERS } from '../../../workers/protocol.ts';

/** The address of a function's database. */
export interface DatabaseAddress {
  /** The folder with the host's socket, `http`. */
  folder: string;
  /** The database's name at its host. */
  name: string;
  /** The owner, which a host with databases of many owners needs. */
  owner: string;
  /** The group that may connect to the host, when the server is root. */
  group: number | undefined;
  /** Sent with every request. The cell's configuration injects it, out of reach of owner code. It opens this database only. */
  key: string;
  /** Call it when the cell that uses the database has ended. */
  release(): void;
}

/** Sends a request to a database at a host. A host with databases of many owners needs the owner. */
export function sendRequest(
  { socket, key, ownerId }: { socket: string; key: string; ownerId?: number },
  databaseId: number,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(`http://database${path}`, {
    method: 'POST',
    ...init,
    headers: {
      ...(init.headers as Record<string, string> | undefined),
      [DATABASE_HEADERS.database]: databaseName(databaseId),
      [DATABASE_HEADERS.key]: key,
      ...(ownerId !== undefined && { [DATABASE_HEADERS.owner]: String(ownerId) }),
    },
    unix: socket,
  } as RequestInit);
}

const NAME_PREFIX = 'database-';

/** A database's name at its host. */
export function databaseName(databaseId: number): string {
  return `${NAME_PREFIX}${databaseId}`;
}

/** The inverse of `databaseName`. */
export function parseDatabaseId(name: string): number {
  return Number(name.slice(NAME_PREFIX.length));
}

/** The server's key to one host, made from a secret that never leaves the server: a leaked key opens no other host. */
export function hostKey(secret: string, host: string): string {
  return createHmac('sha256', secret).update(host).digest('hex');
}
