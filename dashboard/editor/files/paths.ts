/** Files as a tree. */

export interface TreeRow {
  path: string;
  /** The last part of the path. */
  name: string;
  level: number;
  isFolder: boolean;
  /** Its place among its siblings, from 1, and how many there are. */
  place: number;
  siblings: number;
}

interface Folder {
  folders: Map<string, Folder>;
  files: string[];
}

const inOrder = new Intl.Collator('en', { numeric: true, sensitivity: 'base' }).compare;

/** The rows that are visible: those in closed folders are not. Folders come first, then files by name. */
export function listRows(paths: Iterable<string>, isOpen: (folder: string) => boolean): TreeRow[] {
  const root: Folder = { folders: new Map(), files: [] };
  for (const path of paths) {
    const names = path.split('/');
    const file = names.pop() ?? '';
    let folder = root;
    for (const name of names) {
      const next = folder.folders.get(name) ?? { folders: new Map(), files: [] };
      folder.folders.set(name, next);
      folder = next;
    }
    folder.files.push(file);
  }
  const rows: TreeRow[] = [];
  collect(root, '', 1, isOpen, rows);
  return rows;
}

function collect(
  { folders, files }: Folder,
  prefix: string,
  level: number,
  isOpen: (folder: string) => boolean,
  rows: TreeRow[],
): void {
  const siblings = folders.size + files.length;
  let place = 0;
  for (const name of [...folders.keys()].sort(inOrder)) {
    const path = prefix + name;
    rows.push({ path, name, level, isFolder: true, place: ++place, siblings });
    const folder = folders.get(name);
    if (folder && isOpen(path)) collect(folder, `${path}/`, level + 1, isOpen, rows);
  }
  for (const name of files.sort(inOrder)) {
    rows.push({ path: prefix + name, name, level, isFolder: false, place: ++place, siblings });
  }
}

/** The folder of a path, without a slash at its end; empty for the top. */
export const parentFolder = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** The last part of a path. */
export const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** The folders that a path is in, from the outside. */
export function parentFolders(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

export const isInside = (path: string, folder: string) => path.startsWith(`${folder}/`);

/** The path after a file or a folder was renamed. */
export function renamed(path: string, from: string, to: string): string {
  if (path === from) return to;
  return isInside(path, from) ? to + path.slice(from.length) : path;
}

/** The paths that are a file or inside a folder. */
export const affected = (paths: Iterable<string>, path: string) =>
  [...paths].filter((each) => each === path || isInside(each, path));

/** A path that is not taken: `cat.png`, `cat-2.png`. */
export function freePath(path: string, isTaken: (path: string) => boolean): string {
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]+)?$/.exec(path) ?? [];
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${stem}-${number}${ending}`;
    if (!isTaken(candidate)) return candidate;
  }
}
