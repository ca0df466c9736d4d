/** A file of one version of a page. Its type follows from its path. */
export interface FileEntry {
  /** The SHA-256 of its bytes, in hexadecimal. */
  hash: string;
  size: number;
  /** When the file at this path last changed. */
  updatedAt: number;
}

/** The files of one version by path, sorted. `index.html` is never among them: it is the page's document. */
export type Manifest = ReadonlyMap<string, FileEntry>;

/** Reads a manifest from its stored JSON. Paths can look like numbers, which an object would move to its start. */
export function parseManifest(files: string): Manifest {
  return sortFiles(Object.entries(JSON.parse(files) as Record<string, FileEntry>));
}

export function sortFiles(entries: Array<[path: string, file: FileEntry]>): Manifest {
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The JSON of a manifest, and what identifies its files: their paths and hashes, not their times. */
export function writeManifest(manifest: Manifest): { files: string; hash: string } {
  const hasher = new Bun.CryptoHasher('sha256');
  // No path contains a line break.
  for (const [path, { hash }] of manifest) hasher.update(`${hash} ${path}\n`);
  return { files: JSON.stringify(Object.fromEntries(manifest)), hash: hasher.digest('hex') };
}

export function totalBytes(manifest: Manifest): number {
  let total = 0;
  for (const { size } of manifest.values()) total += size;
  return total;
}
