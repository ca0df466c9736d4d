import { expect } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of an archive, unpacked by the tar of the system. */
export interface UnpackedExport {
  paths: string[];
  text(path: string): string;
  bytes(path: string): Buffer;
  json(path: string): ReturnType<typeof JSON.parse>;
  lines(path: string): Array<ReturnType<typeof JSON.parse>>;
  folder: string;
}

/** Reads the archive of a response to its end, and unpacks it below `base`. */
export async function unpackExport(response: Response, base: string): Promise<UnpackedExport> {
  expect(response.status).toBe(200);
  const folder = mkdtempSync(join(base, 'export-'));
  const archive = `${folder}.tar.gz`;
  writeFileSync(archive, Buffer.from(await response.arrayBuffer()));
  const done = Bun.spawnSync(['tar', '-xzf', archive, '-C', folder]);
  const list = Bun.spawnSync(['tar', '-tzf', archive]);
  rmSync(archive);
  expect(done.stderr.toString()).toBe('');
  const bytes = (path: string) => readFileSync(join(folder, path));
  const text = (path: string) => bytes(path).toString();
  return {
    paths: list.stdout.toString().trim().split('\n').sort(),
    bytes,
    text,
    json: (path) => JSON.parse(text(path)),
    lines: (path) =>
      text(path)
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    folder,
  };
}
