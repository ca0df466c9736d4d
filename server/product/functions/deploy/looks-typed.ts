const MAX_LETTERS = 80;
/** The most places that are checked. A program of a megabyte may have more, but not only ones that look like types. */
const MAX_LOOKS = 2_000;

/**
 * True for calls such as `parse<User>(text)`. JavaScript reads them as two comparisons, so a module with nothing else that
 * is TypeScript would load and then do something else.
 */
export function looksTyped(code: string): boolean {
  let looks = 0;
  for (let at = code.indexOf('>('); at !== -1 && looks < MAX_LOOKS; at = code.indexOf('>(', at + 1)) {
    looks++;
    const before = code.slice(Math.max(0, at - MAX_LETTERS), at);
    const open = before.lastIndexOf('<');
    if (
      open > 0 &&
      /[\w$]$/.test(before.slice(0, open)) &&
      /^[A-Za-z_$][\w$.[\], |>]*$/.test(before.slice(open + 1))
    )
      return true;
  }
  return false;
}
