/// <reference path="../workerd.d.ts" />

/** Tells the server from cells, in workerd. */

/** All that D1's client asks for. Owner code has the client's own connection in its hands, and can ask for anything. */
const D1_PATHS = ['/query', '/execute'];
/** Databases that are asked at the same time are far fewer. */
const MAX_KEPT = 10_000;
const kept = new Map<string, string>();

/**
 * Whether a request may be answered. The server's key opens everything. A cell's opens its database alone, since many
 * owners may share a host, and only for what D1's client does: the rest is how the server copies and removes databases.
 */
export async function mayAsk(request: Request, pathname: string, serverKey: string): Promise<boolean> {
  const given = request.headers.get('x-quire-key');
  if (given === null || given === serverKey) return given !== null;
  const name = request.headers.get('x-quire-database');
  if (name === null || request.method !== 'POST' || !D1_PATHS.includes(pathname)) return false;
  return given === (kept.get(name) ?? (await keep(name, serverKey)));
}

async function keep(name: string, serverKey: string): Promise<string> {
  if (kept.size >= MAX_KEPT) kept.clear();
  const key = await cellKey(name, serverKey);
  kept.set(name, key);
  return key;
}

/** The key of a cell for its database. */
export async function cellKey(name: string, serverKey: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', encoder.encode(serverKey), hmac, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret, encoder.encode(name)));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
