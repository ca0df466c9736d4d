import { open } from 'node:fs/promises';

/** A rename, or a new file or folder, is durable only after its parent folder is synced. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
