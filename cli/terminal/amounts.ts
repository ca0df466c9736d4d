/** `1 record`, `1,200 records`. */
export function count(amount: number, one: string): string {
  return `${amount.toLocaleString('en')} ${one}${amount === 1 ? '' : 's'}`;
}

/** Bytes as people read them: `1.4 MB`. */
export function saySize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} kB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
