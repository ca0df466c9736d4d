/**
 * In sandbox isolation a page has an opaque origin, and accessing storage throws. Many pages need storage only while they
 * are open, so they get one in memory.
 */
export function replaceThrowingStorage(): void {
  let hasWarned = false;
  const warnOnce = () => {
    if (hasWarned) return;
    hasWarned = true;
    console.info(
      'Quire: this page has no persistent storage here. localStorage, sessionStorage and cookies are lost when the page is closed.',
    );
  };
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    const storage = createMemoryStorage();
    Object.defineProperty(window, name, {
      configurable: true,
      get: () => {
        warnOnce();
        return storage;
      },
    });
  }
  const cookies = new Map<string, string>();
  Object.defineProperty(document, 'cookie', {
    configurable: true,
    get: () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    set: (text: string) => {
      warnOnce();
      const [pair = '', ...attributes] = String(text).split(';');
      const equals = pair.indexOf('=');
      if (equals <= 0) return;
      const name = pair.slice(0, equals).trim();
      if (attributes.some(isInThePast)) cookies.delete(name);
      else cookies.set(name, pair.slice(equals + 1).trim());
    },
  });
}

/** Pages delete a cookie by setting it again with a time in the past. */
function isInThePast(attribute: string): boolean {
  const [name = '', value = ''] = attribute.split('=').map((part) => part.trim());
  if (name.toLowerCase() === 'max-age') return Number(value) <= 0;
  return name.toLowerCase() === 'expires' && Date.parse(value) <= Date.now();
}

/** Storage in memory that also supports property access (`localStorage.x = 1`). */
function createMemoryStorage(): Storage {
  const items = new Map<string, string>();
  const methods = {
    getItem: (key: string) => items.get(String(key)) ?? null,
    setItem: (key: string, value: string) => void items.set(String(key), String(value)),
    removeItem: (key: string) => void items.delete(String(key)),
    clear: () => items.clear(),
    key: (index: number) => [...items.keys()][index] ?? null,
  };
  return new Proxy(methods as unknown as Storage, {
    get(target, key) {
      if (key === 'length') return items.size;
      if (key in target) return Reflect.get(target, key);
      return typeof key === 'string' ? items.get(key) : undefined;
    },
    set(_, key, value) {
      items.set(String(key), String(value));
      return true;
    },
    has: (target, key) => key in target || items.has(String(key)),
    deleteProperty: (_, key) => items.delete(String(key)) || true,
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_, key) =>
      items.has(String(key))
        ? { value: items.get(String(key)), configurable: true, enumerable: true, writable: true }
        : undefined,
  });
}
