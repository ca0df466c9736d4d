import { hostname } from 'node:os';
import { FolderInUseError, lockDataFolder, readNodeName } from '../data-folder.ts';
import type { Db } from '../handles.ts';
import { LEASE_MS } from './nodes.ts';
import { listNodes } from './store.ts';

/** The nodes that run now, for commands beside them. */
export async function listRunningNodes(place: {
  db: Db;
  engine: 'sqlite' | 'postgres';
  dataFolder: string;
}): Promise<{ name: string; host: string }[]> {
  if (place.engine === 'postgres') return (await listNodes(place.db)).filter(({ age }) => age < LEASE_MS);
  try {
    lockDataFolder(place.dataFolder).release();
    return [];
  } catch (error) {
    if (error instanceof FolderInUseError)
      return [{ name: readNodeName(place.dataFolder), host: hostname() }];
    throw error;
  }
}
