import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Environment } from '../environment.ts';
import { accountFilePath } from './account-file.ts';

const KEY_BYTES = 32;

/**
 * The key that signs .quire.json. Only what quire wrote for this user counts, not what came with a folder from someone
 * else.
 */
export async function readMemoryKey(environment: Environment): Promise<Uint8Array> {
  const path = join(dirname(accountFilePath(environment)), 'memory.key');
  const present = await readKey(path);
  if (present) return present;
  const made = randomBytes(KEY_BYTES);
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(path, made, { flag: 'wx', mode: 0o600 });
    return made;
  } catch {
    // Another command created it first. If it cannot be stored, later pushes ask before they replace anything.
    return (await readKey(path)) ?? made;
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes?.length === KEY_BYTES ? bytes : undefined;
}
