import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, readConfig } from './config.ts';
import { SECRET_NAMES } from './secret-files.ts';

const KEY = 'a key with at least thirty-two characters';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'quire-secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const secretFile = (contents: string | Uint8Array) => {
  const path = join(folder, Bun.randomUUIDv7());
  writeFileSync(path, contents);
  return path;
};

test.each([
  ['as it is', KEY],
  ['with a line break at its end', `${KEY}\n`],
  ['with a line break of Windows', `${KEY}\r\n`],
])('a secret can be in a file, %s', (_, contents) => {
  expect(readConfig({ QUIRE_SECRET_FILE: secretFile(contents) }).secret).toBe(KEY);
});

test('every secret has its file', () => {
  const values: Record<string, string> = {
    QUIRE_SECRET: KEY,
    QUIRE_SECRET_OLD: `${KEY}, before`,
    DATABASE_URL: 'postgres://quire:word@127.0.0.1/quire',
    REDIS_URL: 'redis://:word@127.0.0.1',
    QUIRE_SMTP_URL: 'smtp://quire:word@127.0.0.1',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=word',
  };
  // Without this, the headers are for nobody.
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const files = SECRET_NAMES.map((name) => [`${name}_FILE`, secretFile(values[name] ?? 'word')]);
  const plain = SECRET_NAMES.map((name) => [name, values[name] ?? 'word']);
  const { secretFiles, ...config } = readConfig({ ...collector, ...Object.fromEntries(files) });
  const { secretFiles: none, ...same } = readConfig({ ...collector, ...Object.fromEntries(plain) });
  expect(config).toEqual(same);
  expect([secretFiles.length, none]).toEqual([SECRET_NAMES.length, []]);
});

test('both at once are an error that shows neither', () => {
  const read = () => readConfig({ QUIRE_AI_KEY: 'word-1', QUIRE_AI_KEY_FILE: secretFile('word-2') });
  expect(read).toThrow('QUIRE_AI_KEY_FILE: cannot be set together with QUIRE_AI_KEY');
  expect(read).not.toThrow('word-');
});

test('an empty name counts as not set', () => {
  expect(readConfig({ QUIRE_SECRET: KEY, QUIRE_SECRET_FILE: '' }).secret).toBe(KEY);
});

test.each([
  ['is empty', '\n'],
  ['must contain the secret alone', `${KEY}\nsecond line\n`],
  ['must contain the secret alone', `${KEY}\0`],
  ['is not a text file in UTF-8', new Uint8Array([0xff, 0xfe])],
  ['must name a file of at most 65536 bytes', 'x'.repeat(65_537)],
])('a file that %s is refused', (message, contents) => {
  expect(() => readConfig({ QUIRE_SECRET_FILE: secretFile(contents) })).toThrow(message);
});

test('the largest file is read', () => {
  expect(readConfig({ QUIRE_SECRET_FILE: secretFile('x'.repeat(65_536)) }).secret).toHaveLength(65_536);
});

test('a missing file is listed beside other faults, once', () => {
  const missing = join(folder, 'missing');
  const wrong = { S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY_FILE: missing, PORT: 'x' };
  const read = () => readConfig(wrong);
  expect(read).toThrow(ConfigError);
  expect(read).toThrow(`S3_SECRET_ACCESS_KEY_FILE: ${missing} does not exist`);
  expect(read).toThrow('PORT: must be a port number');
  expect(read).not.toThrow('S3_SECRET_ACCESS_KEY: must be set');
});

test('what is in the file follows the rules of the setting', () => {
  expect(() => readConfig({ QUIRE_SECRET_FILE: secretFile('short') })).toThrow('at least 32 characters');
});
