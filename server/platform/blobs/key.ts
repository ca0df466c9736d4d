/** We make all keys: segments of letters, digits, dots and hyphens that cannot escape a folder. */
const KEY = /^[a-z0-9][a-z0-9.-]*(\/[a-z0-9][a-z0-9.-]*)*$/i;

export const isKey = (key: string) => KEY.test(key);

export function assertKey(key: string): void {
  if (!isKey(key)) throw new Error(`not a blob key: ${key}`);
}
