/** Files that quire writes for editors. They are neither sent nor compared. */

export const TYPES_FILE = 'env.d.ts';
/** How a file of types begins that quire has written. */
export const TYPES_START = '// Written by quire types.';

/** Whether quire has written a module for editors. */
export const isGenerated = (path: string, text: string): boolean =>
  (path === TYPES_FILE || path.endsWith(`/${TYPES_FILE}`)) && text.startsWith(TYPES_START);
