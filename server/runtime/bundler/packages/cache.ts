import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CACHE_BYTES } from './limits.ts';

const BLOCK = 4096;
/** The fraction of the cache that stays when it is too large. */
const TRIM_TO = 0.9;

/**
 * Packages on disk, by the hash that the registry gives them. They are checked against it at every use, so a damaged file
 * is only one that must be fetched again. When there are too many bytes, the ones that were not used for longest go.
 */
export class PackageCache {
  private trimming = Promise.resolve();
  /** What the packages take up. Undefined until they were counted. */
  private total: number | undefined;

  constructor(
    private readonly folder: string,
    private readonly maxBytes = MAX_CACHE_BYTES,
  ) {}

  /** The path of a package, which may be damaged. Undefined if it is not there. */
  async get(integrity: string): Promise<string | undefined> {
    const path = this.toPath(integrity);
    try {
      const now = new Date();
      await utimes(path, now, now);
      return path;
    } catch {
      return undefined;
    }
  }

  /** Adds a package that was checked. A full disk only means that it is fetched again. */
  async put(integrity: string, file: string): Promise<void> {
    const path = this.toPath(integrity);
    const { size } = await stat(file);
    const unfinished = `${path}.${Bun.randomUUIDv7()}`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await copyFile(file, unfinished);
      await rename(unfinished, path);
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
    this.trimming = this.trimming.then(() => this.grow(size)).catch(() => undefined);
    await this.trimming;
  }

  /** All packages are looked at only when there are too many, not with each new one. */
  private async grow(size: number): Promise<void> {
    if (this.total !== undefined) this.total += onDisk(size);
    if (this.total !== undefined && this.total <= this.maxBytes) return;
    this.total = await this.trim();
  }

  private async trim(): Promise<number> {
    const files = await Promise.all(
      (await readdir(this.folder)).map(async (name) => {
        const path = join(this.folder, name);
        const found = await stat(path).catch(() => undefined);
        return { path, size: onDisk(found?.size ?? 0), usedAt: found?.mtimeMs ?? 0 };
      }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    if (total <= this.maxBytes) return total;
    for (const { path, size } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.maxBytes * TRIM_TO) break;
      await rm(path, { force: true });
      total -= size;
    }
    return total;
  }

  private toPath(integrity: string): string {
    return join(this.folder, createHash('sha256').update(integrity).digest('hex'));
  }
}

/** Even the smallest file takes up a block. */
const onDisk = (size: number) => Math.ceil(size / BLOCK) * BLOCK;
