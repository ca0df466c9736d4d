/** We make all keys: segments of letters, digits, dots and hyphens that cannot escape a folder. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/i;

export function assertKey(key: string): void {
  if (!KEY.test(key)) throw new Error(`not a blob key: ${key}`);
}
