import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStorage } from '../../../server/platform/storage/index.ts';

interface Part {
  name: string;
  mode: number;
  bytes: Uint8Array;
}

let template: Promise<Part[]> | undefined;

/** Puts an empty SQLite database in a new folder. Its tables are created once and then copied, which is much faster. */
export async function placeDatabase(dataFolder: string): Promise<void> {
  template ??= makeTemplate();
  for (const { name, mode, bytes } of await template) writeFileSync(join(dataFolder, name), bytes, { mode });
}

async function makeTemplate(): Promise<Part[]> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-template-'));
  try {
    await (await startStorage({ dataFolder })).stop();
    return readdirSync(dataFolder).map((name) => {
      const path = join(dataFolder, name);
      return { name, mode: statSync(path).mode, bytes: readFileSync(path) };
    });
  } finally {
    rmSync(dataFolder, { recursive: true });
  }
}
