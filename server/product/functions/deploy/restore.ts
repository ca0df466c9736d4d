import { notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { requireOwner } from '../model/access.ts';
import { findFunction, lockFunction, updateFunction } from '../model/store.ts';
import { findVersion } from '../model/version-store.ts';
import { addVersion, toCurrentVersion } from './add-version.ts';
import type { DeployContext } from './context.ts';
import { deployCode } from './deploy-code.ts';
import { keepBefore } from './keep-before.ts';

/**
 * Restores an earlier version as a new version, as it ran then: with the same packages. It is loaded first, because
 * secrets, the database or the runtime may have changed since.
 */
export async function restoreVersion(
  context: DeployContext,
  actor: Actor,
  slug: string,
  number: number,
): Promise<number> {
  const before = requireOwner(await findFunction(context.db, slug), actor);
  const found = await findVersion(context.db, before.id, number);
  const old = found ?? (number === before.version ? toCurrentVersion(before) : undefined);
  if (!old) throw notFound('Version {version} of this function was not found.', { version: String(number) });
  const { code, files, bundle, source_map } = old;
  await keepBefore(context, actor, before, 'deploy');
  const { version } = await deployCode(context, actor, {
    before,
    source: { code, files, bundle, source_map },
    async store(tx, content) {
      const row = requireOwner(await lockFunction(tx, slug), actor);
      const next = await addVersion(context, tx, { ...row, owner_id: actor.userId }, content);
      await updateFunction(tx, row.id, { code, version: next, updated_at: context.now() });
      return { id: row.id, version: next };
    },
  });
  return version;
}
