/** The service's cookies: HttpOnly, Lax, host-only; on HTTPS also Secure with the `__Host-` prefix. */
export interface CookieJar {
  read(request: Request, name: string): string | undefined;
  /** The cookies whose names start like this, by the rest of their names. */
  readAll(request: Request, prefix: string): Map<string, string>;
  set(name: string, value: string, maxAgeSeconds: number): string;
  clear(name: string): string;
}

export function createCookieJar(isHttps: boolean): CookieJar {
  const fullName = (name: string) => (isHttps ? `__Host-${name}` : name);
  const attributes = `; Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
  return {
    read: (request, name) => readCookie(request.headers.get('cookie'), fullName(name)),
    readAll: (request, prefix) => readCookies(request.headers.get('cookie'), fullName(prefix)),
    set: (name, value, maxAgeSeconds) => `${fullName(name)}=${value}; Max-Age=${maxAgeSeconds}${attributes}`,
    clear: (name) => `${fullName(name)}=; Max-Age=0${attributes}`,
  };
}

function readCookie(header: string | null, name: string): string | undefined {
  if (!header) return undefined;
  for (const part of header.split(';')) {
    const equals = part.indexOf('=');
    if (equals > 0 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

function readCookies(header: string | null, prefix: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), part.slice(equals + 1).trim());
  }
  return found;
}
