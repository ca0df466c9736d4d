import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { ArchiveError } from '../archive/archive-error.ts';
import { decryptArchive, readIdentities } from './decrypt.ts';
import { createEncrypt } from './encrypt.ts';

/** The size of a chunk of age. */
const CHUNK = 64 * 1024;

let folder: string;
let identity: string;
let recipient: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-age-'));
  identity = await generateX25519Identity();
  recipient = await identityToRecipient(identity);
});
afterAll(() => rmSync(folder, { recursive: true }));

const toStream = (bytes: Uint8Array) => new Blob([bytes as never]).stream() as ReadableStream<Uint8Array>;
const readAll = async (stream: ReadableStream<Uint8Array>) =>
  Buffer.concat(await Array.fromAsync(stream as AsyncIterable<Uint8Array>));

async function encrypt(bytes: Uint8Array, recipients = [recipient]): Promise<Buffer> {
  const run = await createEncrypt(recipients);
  if (!run) throw new Error('nothing to encrypt for');
  return readAll(await run(toStream(bytes)));
}
const decrypt = async (bytes: Uint8Array, identities: string[]) =>
  readAll((await decryptArchive(toStream(bytes), identities)).stream);

test.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK])('%d bytes come back as they were', async (size) => {
  const bytes = randomBytes(size);
  const sealed = await encrypt(bytes);
  expect(sealed.includes(bytes.subarray(0, 16)) && size >= 16).toBe(false);
  expect((await decrypt(sealed, [identity])).equals(bytes)).toBe(true);
});

test("Debian's age opens what was encrypted, with each of the keys", async () => {
  const bytes = randomBytes(3 * CHUNK + 5);
  const other = await generateX25519Identity();
  const sealed = join(folder, 'sealed.age');
  await Bun.write(sealed, await encrypt(bytes, [recipient, await identityToRecipient(other)]));
  for (const key of [identity, other]) {
    const keyFile = join(folder, 'key.txt');
    await Bun.write(keyFile, `# created: now\n${key}\n`);
    const age = Bun.spawn(['age', '-d', '-i', keyFile, sealed], { stdout: 'pipe', stderr: 'inherit' });
    expect(Buffer.from(await age.stdout.bytes()).equals(bytes)).toBe(true);
    expect(await age.exited).toBe(0);
  }
});

test("what Debian's age encrypted is opened", async () => {
  const age = Bun.spawn(['age', '-r', recipient], { stdin: new Blob(['hello']), stdout: 'pipe' });
  expect((await decrypt(await age.stdout.bytes(), [identity])).toString()).toBe('hello');
});

test('an archive that is not encrypted is passed on, however short it is', async () => {
  for (const text of ['', 'a', 'age-encryption', 'plain text that is longer']) {
    const { stream, isEncrypted } = await decryptArchive(toStream(Buffer.from(text)));
    expect([(await readAll(stream)).toString(), isEncrypted]).toEqual([text, false]);
  }
});

test('one turned bit anywhere, or a missing end, is found', async () => {
  const sealed = await encrypt(randomBytes(2 * CHUNK + 100));
  for (let at = 25; at < sealed.length; at += Math.ceil(sealed.length / 25)) {
    const damaged = Buffer.from(sealed);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await expect(decrypt(damaged, [identity])).rejects.toBeInstanceOf(ArchiveError);
  }
  for (const length of [sealed.length - 1, sealed.length - CHUNK, 250, 30])
    await expect(decrypt(sealed.subarray(0, length), [identity])).rejects.toBeInstanceOf(ArchiveError);
});

describe('says what to do', () => {
  test('without a secret key, and with another one', async () => {
    const sealed = await encrypt(Buffer.from('x'));
    await expect(decrypt(sealed, [])).rejects.toThrow('--identity');
    await expect(decrypt(sealed, [await generateX25519Identity()])).rejects.toThrow('another one');
  });

  test('if an identity file is not one, without showing it', () => {
    expect(readIdentities(`# a comment\r\n\r\n${identity}\r\n`)).toEqual([identity]);
    for (const text of ['', '# only this', recipient, `${identity}\nrubbish`])
      expect(() => readIdentities(text)).toThrow('AGE-SECRET-KEY-1');
    expect(() => readIdentities('age-encryption.org/v1\n-> scrypt')).toThrow('passphrase');
  });

  test('if a key is mistyped', async () => {
    const mistyped = identity.slice(0, -1) + (identity.endsWith('Q') ? 'P' : 'Q');
    await expect(decrypt(await encrypt(Buffer.from('x')), [mistyped])).rejects.toThrow('mistyped');
    const wrong = recipient.endsWith('q') ? 'p' : 'q';
    await expect(createEncrypt([recipient.slice(0, -1) + wrong])).rejects.toThrow();
    expect(await createEncrypt([])).toBeUndefined();
  });
});
