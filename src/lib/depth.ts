/**
 * Whether a parsed JSON value has more than so many levels of lists and objects. Level by level, since whatever calls
 * itself for each, such as `JSON.stringify`, takes seconds for a hundred thousand of them.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
