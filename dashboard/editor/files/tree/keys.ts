import { parentFolder, type TreeRow } from '../paths.ts';

/**
 * Where a key leads in a tree: to another row, or to opening or closing the one it is pressed on. As the ARIA practices
 * describe it.
 */
export function keyTarget(
  key: string,
  rows: TreeRow[],
  at: number,
  isOpen: (folder: string) => boolean,
): number | 'open' | 'close' | undefined {
  const row = rows[at];
  if (!row) return undefined;
  const isOpenFolder = row.isFolder && isOpen(row.path);
  switch (key) {
    case 'ArrowDown':
      return Math.min(rows.length - 1, at + 1);
    case 'ArrowUp':
      return Math.max(0, at - 1);
    case 'Home':
      return 0;
    case 'End':
      return rows.length - 1;
    case 'ArrowRight':
      if (!row.isFolder) return undefined;
      return isOpenFolder ? at + 1 : 'open';
    case 'ArrowLeft': {
      if (isOpenFolder) return 'close';
      const parent = rows.findIndex(({ path, isFolder }) => isFolder && path === parentFolder(row.path));
      return parent < 0 ? undefined : parent;
    }
    default:
      return key.length === 1 ? rowWithLetter(key, rows, at) : undefined;
  }
}

/** The next row whose name starts with a letter. */
function rowWithLetter(letter: string, rows: TreeRow[], at: number): number | undefined {
  const wanted = letter.toLowerCase();
  for (let step = 1; step <= rows.length; step++) {
    const index = (at + step) % rows.length;
    if (rows[index]?.name.toLowerCase().startsWith(wanted)) return index;
  }
  return undefined;
}
