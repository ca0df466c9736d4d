import { CELL_PATHS, cellKey, DATABASE_HEADERS, readGeneration } from '../protocol.ts';

/** Far more than the databases that are in use at the same time. */
const MAX_CACHED = 10_000;
const cached = new Map<string, string>();

/**
 * Who sends a request; undefined if it is not allowed. The server's key opens everything. A cell's key opens its own
 * database only, because many owners may share a host, and only for what `env.DB` does: owner code has access to
 * the client's connection and can send anything.
 */
export async function identifySender(
  request: Request,
  pathname: string,
  serverKey: string,
): Promise<'server' | 'cell' | undefined> {
  const given = request.headers.get(DATABASE_HEADERS.key);
  if (given === null) return undefined;
  if (given === serverKey) return 'server';
  const name = request.headers.get(DATABASE_HEADERS.database);
  if (name === null || request.method !== 'POST' || !CELL_PATHS.includes(pathname)) return undefined;
  const generation = readGeneration(given);
  if (generation === undefined) return undefined;
  const known = cached.get(`${name} ${generation}`);
  return given === (known ?? (await derive(name, generation, serverKey))) ? 'cell' : undefined;
}

async function derive(name: string, generation: number, serverKey: string): Promise<string> {
  if (cached.size >= MAX_CACHED) cached.clear();
  const key = await cellKey(name, generation, serverKey);
  cached.set(`${name} ${generation}`, key);
  return key;
}
