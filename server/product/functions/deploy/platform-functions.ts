import { loadModule, type ModulePath } from '../../../lib/modules.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { findFunction, insertFunction, lockFunction, updateFunction } from '../model/store.ts';

/** The platform's own functions: they have no owner, and their code comes with the program. */
const BUILTIN: { slug: string; file: ModulePath; displayName: string; description: string }[] = [
  {
    slug: 'unfurl-url',
    file: 'workers/unfurl-url/unfurl-url.ts',
    displayName: 'Unfurl a URL',
    description:
      'Fetches a web page and returns its title, description, picture and site, from its Open Graph tags.',
  },
];

/**
 * Installs the built-in functions in the version of this program. Several nodes can do so at the same time.
 */
export async function installBuiltin(db: Db, now: number): Promise<void> {
  for (const { slug, file, displayName, description } of BUILTIN) {
    const code = await loadModule(file);
    const isDone = (existing: { code: string; owner_id: number | null } | undefined) =>
      existing !== undefined && (existing.code === code || existing.owner_id !== null);
    if (isDone(await findFunction(db, slug))) continue;
    await db.transaction().execute(async (tx) => {
      const existing = await lockFunction(tx, slug);
      if (isDone(existing)) return;
      if (existing)
        return updateFunction(tx, existing.id, { code, version: existing.version + 1, updated_at: now });
      await insertFunction(tx, {
        owner_id: null,
        slug,
        display_name: displayName,
        description,
        code,
        is_public: 1,
        database_id: null,
        created_at: now,
        updated_at: now,
      });
    });
  }
}
