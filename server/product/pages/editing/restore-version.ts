import { notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import { addCalledFunctions, type CalledContext } from '../files/called-functions.ts';
import { addVersion } from '../model/add-version.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { lockPage, updatePage } from '../model/page-store.ts';
import { findVersion } from '../model/version-store.ts';

/** Restores an earlier version as a new version. */
export async function restoreVersion(
  context: ChangeContext & CalledContext,
  actor: Actor,
  id: number,
  number: number,
): Promise<number> {
  const restored = await context.db.transaction().execute(async (tx) => {
    const page = await context.directory.require(tx, await lockPage(tx, id), actor, 'write');
    const old = await findVersion(tx, id, number);
    if (!old) throw notFound('Version {version} of this page was not found.', { version: String(number) });
    const next = await addVersion(context, tx, page, {
      html: old.html_content,
      size: old.size,
      manifestId: old.manifest_id,
      authorId: actor.userId,
    });
    await updatePage(tx, id, { version: next, updated_at: context.now() });
    return { ...page, version: next };
  });
  context.changed(id);
  await addCalledFunctions(context, actor, restored);
  return restored.version;
}
