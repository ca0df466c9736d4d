/**
 * Whether a parsed JSON value has more than so many levels. Level by level: whatever calls itself for each, such as
 * `JSON.stringify`, takes seconds for a hundred thousand of them.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const child of Object.values(each))
        if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}
