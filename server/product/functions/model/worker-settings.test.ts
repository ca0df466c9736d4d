import { expect, test } from 'bun:test';
import { readDatabaseNames, WorkerSettingsError } from './worker-settings.ts';

/** They are parsed on the thread that serves everyone, whenever a cell starts. */
test('settings with too many entries are not parsed', () => {
  const start = '[[d1_databases]]\nbinding = "NOTES"\n';
  const tables = (count: number) => Array.from({ length: count }, (_, at) => `[t${at}]\n`).join('');
  expect(readDatabaseNames({ 'wrangler.toml': start + tables(1_997) })).toEqual(['NOTES']);
  for (const text of [start + tables(1_998), start + tables(8_000), `${start}#${' '.repeat(65_536)}`])
    expect(() => readDatabaseNames({ 'wrangler.toml': text })).toThrow(WorkerSettingsError);
});
