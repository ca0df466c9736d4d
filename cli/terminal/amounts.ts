/** `1 record`, `1,200 records`. */
export function count(amount: number, one: string): string {
  return `${amount.toLocaleString('en')} ${one}${amount === 1 ? '' : 's'}`;
}

/** A size in binary units: `64 KB`, `1.4 MB`. */
export function saySize(bytes: number): string {
  if (bytes < 1024 ** 2) return `${Math.ceil(bytes / 1024)} KB`;
  return bytes < 1024 ** 3 ? `${(bytes / 1024 ** 2).toFixed(1)} MB` : `${(bytes / 1024 ** 3).toFixed(1)} GB`;
}
