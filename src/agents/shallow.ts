/** To write JSON that is tens of thousands of levels deep takes seconds; nobody means more than this. */
export const MAX_LEVELS = 100;

/** What JSON says; anything else, and what is too deep to be written again, as the text that it is. */
export function parseShallow(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeep(value) ? text : value;
  } catch {
    return text;
  }
}

/** Level by level, so that no depth is too much for the check itself. */
function isDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === MAX_LEVELS) return true;
    level = level.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
