import { NoFields, Restored } from '../../../../contract/fields.ts';
import { slugParams } from '../../../../contract/functions/functions.ts';
import {
  FunctionVersion,
  FunctionVersionDetail,
  FunctionVersionList,
  functionVersionParams,
  PatchFunctionVersion,
} from '../../../../contract/functions/versions.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { createOwn, READ, requireOwner, WRITE } from '../access.ts';
import type { FunctionsContext } from '../context.ts';
import { lockFunction } from '../store.ts';
import { versionOf } from './add.ts';
import { restoreVersion } from './restore.ts';
import { findVersion, type ListedVersion, listVersions, updateNote } from './store.ts';

/** The versions of a function. */
export function versionRoutes(context: FunctionsContext): Route[] {
  const { db } = context;
  const own = createOwn(db);
  return [
    ...changeRoutes(context),
    route({
      method: 'GET',
      path: '/api/functions/:slug/versions',
      operationId: 'listFunctionVersions',
      access: READ,
      summary: 'List the versions of a function that are kept, newest first: the last 50',
      params: slugParams,
      response: FunctionVersionList,
      async handle({ params, actor }) {
        const row = await own(params.slug, actor);
        const versions = await listVersions(db, row.id);
        // A node of the previous release stores none.
        if (versions[0]?.version !== row.version) versions.unshift(versionOf(row));
        return { versions: versions.map((version) => toVersion(version, row.version)) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/functions/:slug/versions/:version',
      operationId: 'getFunctionVersion',
      access: READ,
      summary: 'Read one version: the code and files that were sent',
      params: functionVersionParams,
      response: FunctionVersionDetail,
      async handle({ params, actor }) {
        const row = await own(params.slug, actor);
        const found = await findVersion(db, row.id, params.version);
        const version = found ?? (params.version === row.version ? versionOf(row) : undefined);
        if (!version) throw notFound(`Version ${params.version} of this function`);
        const files = JSON.parse(version.files ?? '{}');
        return { ...toVersion(version, row.version), code: version.code, files };
      },
    }),
  ];
}

function changeRoutes(context: FunctionsContext): Route[] {
  const { db } = context;
  return [
    route({
      method: 'PATCH',
      path: '/api/functions/:slug/versions/:version',
      operationId: 'updateFunctionVersion',
      access: WRITE,
      summary: 'Change the note on a version',
      params: functionVersionParams,
      body: PatchFunctionVersion,
      response: FunctionVersion,
      handle: ({ params, body, actor }) =>
        db.transaction().execute(async (tx) => {
          const row = requireOwner(await lockFunction(tx, params.slug), signedIn(actor));
          await updateNote(tx, row.id, params.version, body.note);
          const found = await findVersion(tx, row.id, params.version);
          if (!found) throw notFound(`Version ${params.version} of this function`);
          return toVersion(found, row.version);
        }),
    }),
    route({
      method: 'POST',
      path: '/api/functions/:slug/versions/:version/restore',
      operationId: 'restoreFunctionVersion',
      failures: ['QUOTA_EXCEEDED', 'DEPLOY_FAILED'],
      access: WRITE,
      summary:
        'Make an earlier version current again, as a new version; secrets and the database stay as they are',
      params: functionVersionParams,
      body: NoFields,
      bodyOptional: true,
      response: Restored,
      async handle({ params, actor }) {
        const version = await restoreVersion(context, signedIn(actor), params.slug, params.version);
        return {
          success: true,
          message: `Version ${params.version} is back, as version ${version}.`,
          version,
        };
      },
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
