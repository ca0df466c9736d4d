import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStorage } from './index.ts';

test('an unavailable PostgreSQL is reported in a sentence that names the setting', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-storage-'));
  try {
    const started = startStorage({ dataFolder, databaseUrl: 'postgres://quire:word@127.0.0.1:1/quire' });
    await expect(started).rejects.toThrow(/^PostgreSQL cannot be used: .+\. Check DATABASE_URL/);
  } finally {
    rmSync(dataFolder, { recursive: true, force: true });
  }
});
