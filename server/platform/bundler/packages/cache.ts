import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CACHE_BYTES } from './limits.ts';

/**
 * Packages on disk, by the hash that the registry gives them. They are checked against it at every use, so a damaged file
 * is only one that must be fetched again. When there are too many bytes, the ones that were not used for longest go.
 */
export class PackageCache {
  private trimming = Promise.resolve();

  constructor(
    private readonly folder: string,
    private readonly maxBytes = MAX_CACHE_BYTES,
  ) {}

  async get(integrity: string): Promise<Uint8Array | undefined> {
    const path = this.pathOf(integrity);
    try {
      const bytes = await readFile(path);
      const now = new Date();
      await utimes(path, now, now);
      return bytes;
    } catch {
      return undefined;
    }
  }

  /** Adds a package that was checked. A full disk only means that it is fetched again. */
  async put(integrity: string, bytes: Uint8Array): Promise<void> {
    const path = this.pathOf(integrity);
    const unfinished = `${path}.${Bun.randomUUIDv7()}`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(unfinished, bytes);
      await rename(unfinished, path);
    } catch {
      await rm(unfinished, { force: true }).catch(() => undefined);
    }
    this.trimming = this.trimming.then(() => this.trim()).catch(() => undefined);
    await this.trimming;
  }

  async drop(integrity: string): Promise<void> {
    await rm(this.pathOf(integrity), { force: true });
  }

  private async trim(): Promise<void> {
    const files = await Promise.all(
      (await readdir(this.folder)).map(async (name) => {
        const path = join(this.folder, name);
        const found = await stat(path).catch(() => undefined);
        return { path, size: found?.size ?? 0, usedAt: found?.mtimeMs ?? 0 };
      }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.toSorted((a, b) => a.usedAt - b.usedAt)) {
      if (total <= this.maxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }

  private pathOf(integrity: string): string {
    return join(this.folder, createHash('sha256').update(integrity).digest('hex'));
  }
}
