/** A duration in words, always rounded up. */
export function inWords(seconds: number): string {
  if (seconds < 100) return count(Math.ceil(seconds), 'second');
  if (seconds < 100 * 60) return count(Math.ceil(seconds / 60), 'minute');
  return count(Math.ceil(seconds / 3600), 'hour');
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
}
