import { toStream } from '../../../lib/streams.ts';
import { ArchiveError, KeyError } from '../archive/archive-error.ts';

/** What every file of age begins with. */
const MAGIC = 'age-encryption.org/';
const SECRET_KEY = /^AGE-SECRET-KEY-/;

const NEEDS_IDENTITY =
  'This backup is encrypted. Name the file with its secret key: --identity <file>. The server does not have it.';
const WRONG_IDENTITY = 'The secret key does not open this backup. It was encrypted for another one.';
const DAMAGED = 'The archive is damaged or incomplete: it cannot be decrypted.';

/** The secret keys in the text of an identity file, as age-keygen writes it. */
export function readIdentities(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length > 0 && keys.every((key) => SECRET_KEY.test(key))) return keys;
  throw new ArchiveError(
    text.startsWith(MAGIC) || text.includes('BEGIN AGE ENCRYPTED FILE')
      ? 'The identity file has a passphrase. Decrypt it first: age -d identity.age > identity.txt'
      : 'The identity file has no secret key of age. A key begins with AGE-SECRET-KEY-1.',
  );
}

/** Decrypts an archive while it is read. An archive that is not encrypted is passed on as it is. */
export async function decryptArchive(
  stream: ReadableStream<Uint8Array>,
  identities: string[] = [],
): Promise<{ stream: ReadableStream<Uint8Array>; isEncrypted: boolean }> {
  const pieces = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < MAGIC.length) {
    const { done, value } = await pieces.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  const whole = toStream(continued(first, pieces));
  const isEncrypted = Buffer.concat(first).toString('latin1', 0, MAGIC.length) === MAGIC;
  if (!isEncrypted) return { stream: whole, isEncrypted };
  try {
    return { stream: await open(whole, identities), isEncrypted };
  } catch (error) {
    await whole.cancel().catch(() => undefined);
    throw error;
  }
}

async function open(
  stream: ReadableStream<Uint8Array>,
  identities: string[],
): Promise<ReadableStream<Uint8Array>> {
  if (identities.length === 0) throw new KeyError(NEEDS_IDENTITY);
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  for (const identity of identities) addIdentity(decrypter, identity);
  const plain = await decrypter.decrypt(stream).catch((error: unknown) => {
    const isOther = error instanceof Error && /no identity matched/.test(error.message);
    throw new ArchiveError(isOther ? WRONG_IDENTITY : DAMAGED, { cause: error });
  });
  return toStream(explained(plain));
}

function addIdentity(decrypter: { addIdentity(identity: string): void }, identity: string): void {
  try {
    decrypter.addIdentity(identity);
  } catch {
    // The error would contain the key.
    throw new KeyError('The secret key in the identity file is not complete, or it is mistyped.');
  }
}

async function* explained(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* stream;
  } catch (error) {
    throw new ArchiveError(DAMAGED, { cause: error });
  }
}

async function* continued(
  first: Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* first;
    while (true) {
      const { done, value } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
