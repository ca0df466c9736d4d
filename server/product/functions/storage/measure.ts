import { sizeAt } from '../../../lib/sizes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import { listChargedBytes, listStoring, measureQueues, measureSecrets, measureVersions } from './store.ts';

/** What a function stores. A database that several functions use is the first one's. */
export interface FunctionUse {
  slug: string;
  name: string;
  pageId: number | null;
  bytes: Record<'code' | 'queue' | 'database', number>;
}

/** What each function of an owner stores, as their quota counts it. */
export async function measureFunctions(
  { db, databases }: { db: Db; databases: Pick<Databases, 'readSize'> },
  ownerId: number,
): Promise<FunctionUse[]> {
  const [rows, versions, secrets, queues] = [
    await listStoring(db, ownerId),
    await measureVersions(db, ownerId),
    await measureSecrets(db, ownerId),
    await measureQueues(db, ownerId),
  ];
  const stored = new Map<number, number>();
  for (const { id, bytes } of await listChargedBytes(db, ownerId))
    stored.set(id, bytes + (await databases.readSize(ownerId, id)));
  return rows.map(({ id, slug, display_name, page_id, database_id }) => {
    const database = database_id === null ? 0 : (stored.get(database_id) ?? 0);
    if (database_id !== null) stored.delete(database_id);
    return {
      ...{ slug, name: display_name || slug, pageId: page_id },
      bytes: { code: sizeAt(versions, id) + sizeAt(secrets, id), queue: sizeAt(queues, id), database },
    };
  });
}
