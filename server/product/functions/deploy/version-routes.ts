import { functionVersionEndpoints } from '../../../../contract/functions/version-endpoints.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { createOwn, requireOwner } from '../model/access.ts';
import { lockFunction } from '../model/store.ts';
import { findVersion, type ListedVersion, listVersions, updateNote } from '../model/version-store.ts';
import { toCurrentVersion } from './add-version.ts';
import type { DeployContext } from './context.ts';
import { restoreVersion } from './restore.ts';

/** Routes of the versions of a function. */
export function versionRoutes(context: DeployContext): Route[] {
  const { db } = context;
  const own = createOwn(db);
  return [
    ...changeRoutes(context),
    handle(functionVersionEndpoints.listFunctionVersions, async ({ params, actor }) => {
      const row = await own(params.slug, actor);
      const versions = await listVersions(db, row.id);
      // A node of the previous release stores no versions.
      if (versions[0]?.version !== row.version) versions.unshift(toCurrentVersion(row));
      return { versions: versions.map((version) => toVersion(version, row.version)) };
    }),
    handle(functionVersionEndpoints.getFunctionVersion, async ({ params, actor }) => {
      const row = await own(params.slug, actor);
      const found = await findVersion(db, row.id, params.version);
      const version = found ?? (params.version === row.version ? toCurrentVersion(row) : undefined);
      if (!version)
        throw notFound('Version {version} of this function was not found.', {
          version: String(params.version),
        });
      const files = JSON.parse(version.files ?? '{}');
      return { ...toVersion(version, row.version), code: version.code, files };
    }),
  ];
}

function changeRoutes(context: DeployContext): Route[] {
  const { db } = context;
  return [
    handle(functionVersionEndpoints.updateFunctionVersion, ({ params, body, actor }) =>
      db.transaction().execute(async (tx) => {
        const row = requireOwner(await lockFunction(tx, params.slug), actor);
        await updateNote(tx, row.id, params.version, body.note);
        const found = await findVersion(tx, row.id, params.version);
        if (!found)
          throw notFound('Version {version} of this function was not found.', {
            version: String(params.version),
          });
        return toVersion(found, row.version);
      }),
    ),
    handle(functionVersionEndpoints.restoreFunctionVersion, async ({ params, actor }) => {
      const version = await restoreVersion(context, actor, params.slug, params.version);
      return {
        success: true as const,
        message: `Version ${params.version} is back, as version ${version}.`,
        version,
      };
    }),
  ];
}

const toVersion = (row: ListedVersion, current: number) => ({
  version: row.version,
  createdAt: toTimestamp(row.created_at),
  size: row.size,
  current: row.version === current,
  ...(row.note && { note: row.note }),
});
