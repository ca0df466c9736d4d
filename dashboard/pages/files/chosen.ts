import { normalizeFilePath } from '../../../contract/rules/file-paths.ts';
import { MAX_PAGE_FILES } from '../../../contract/rules/limits.ts';

/** What a person drops, pastes or chooses: files and whole folders. */

export interface ChosenFile {
  /** Relative to what was dropped, such as `my-site/images/cat.png`. */
  path: string;
  file: File;
}

export interface Chosen {
  files: ChosenFile[];
  /** Names that were left out, as systems and tools make them: `.git`, `node_modules`. */
  leftOut: string[];
}

/** Files and folders that belong to a tool or a system, not to a site. */
const isForeign = (name: string) =>
  name.startsWith('.') || ['node_modules', '__MACOSX', 'Thumbs.db', 'desktop.ini'].includes(name);

/** More are not read, so that somebody who drops a whole disk gets an answer. */
const MAX_READ = MAX_PAGE_FILES + 1;

/** What was dropped or pasted. Call it in the event itself: afterwards the browser has forgotten it. */
export function readTransfer(transfer: DataTransfer): Promise<Chosen> {
  const entries: Array<FileSystemEntry | File> = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry?.() ?? item.getAsFile();
    if (entry) entries.push(entry);
  }
  return readEntries(entries);
}

async function readEntries(entries: Array<FileSystemEntry | File>): Promise<Chosen> {
  const chosen = collector();
  // A stack instead of a recursion: folders can be very deep.
  const waiting = entries.map((entry) => ({ entry, prefix: '' })).reverse();
  for (let next = waiting.pop(); next && chosen.files.length < MAX_READ; next = waiting.pop()) {
    const { entry, prefix } = next;
    const path = prefix + entry.name;
    if (entry instanceof File) chosen.add(path, entry);
    else if (isForeign(entry.name)) chosen.leaveOut(path);
    else if (isFolder(entry)) {
      const children = await readFolder(entry);
      waiting.push(...children.reverse().map((child) => ({ entry: child, prefix: `${path}/` })));
    } else chosen.add(path, await readFile(entry as FileSystemFileEntry));
  }
  return chosen;
}

/** The files of an `<input type="file">`, with `webkitdirectory` or without. */
export function readInput(input: HTMLInputElement): Chosen {
  const chosen = collector();
  for (const file of input.files ?? []) {
    if (chosen.files.length >= MAX_READ) break;
    chosen.add(file.webkitRelativePath || file.name, file);
  }
  return chosen;
}

/** If all files are in one folder, that folder's name and the files without it. */
export function insideOnlyFolder(files: ChosenFile[]): { folder: string; files: ChosenFile[] } {
  const [first] = files;
  const folder = first?.path.includes('/') ? first.path.slice(0, first.path.indexOf('/')) : '';
  if (folder === '' || !files.every(({ path }) => path.startsWith(`${folder}/`)))
    return { folder: '', files };
  return {
    folder,
    files: files.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file })),
  };
}

function collector() {
  const leftOut = new Set<string>();
  const files: ChosenFile[] = [];
  const add = (given: string, file: File) => {
    const path = normalizeFilePath(given);
    const names = path.split('/');
    const foreign = names.findIndex(isForeign);
    if (foreign >= 0) leftOut.add(names.slice(0, foreign + 1).join('/'));
    else files.push({ path, file });
  };
  return {
    files,
    /** In order of their names: a browser lists a folder in the order of the file system. */
    get leftOut() {
      return [...leftOut].sort();
    },
    add,
    leaveOut: (path: string) => leftOut.add(path),
  };
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

const readFile = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** The browser returns the content of a folder in batches, and an empty one at the end. */
async function readFolder(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (batch.length === 0 || all.length > MAX_READ) return all;
    all.push(...batch);
  }
}
