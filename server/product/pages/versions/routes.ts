import { idParams, NoFields, Restored, versionNumber } from '../../../../contract/fields.ts';
import {
  PatchVersion,
  Version,
  VersionDetail,
  VersionList,
  VersionsQuery,
} from '../../../../contract/pages/pages.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { PagesContext } from '../context.ts';
import { readManifest } from '../files/store.ts';
import { toPageFiles } from '../files/wire.ts';
import { findPage } from '../store.ts';
import { restoreVersion } from '../update.ts';
import { toVersion } from '../wire.ts';
import { changeNote } from './note.ts';
import { findVersion, listVersions } from './store.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const versionParams = idParams.extend({ version: versionNumber });

const VERSIONS_AT_ONCE = 200;

/** The versions of a page. */
export function versionRoutes(context: PagesContext): Route[] {
  const { db, directory } = context;
  return [
    ...changeRoutes(context),
    route({
      method: 'GET',
      path: '/api/pages/:id/versions',
      operationId: 'listPageVersions',
      access: READ,
      summary: 'List the last 200 versions of a page, newest first, or the 200 before one of them',
      params: idParams,
      query: VersionsQuery,
      response: VersionList,
      async handle({ params, query, actor }) {
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        const rows = await listVersions(db, page.id, query.before, VERSIONS_AT_ONCE);
        return { versions: rows.map((row) => toVersion(row, page.version)) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pages/:id/versions/:version',
      operationId: 'getPageVersion',
      access: READ,
      summary: 'Read one version: its document, and the list of its files',
      params: versionParams,
      response: VersionDetail,
      async handle({ params, actor }) {
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        const row = await findVersion(db, page.id, params.version);
        if (!row) throw notFound(`Version ${params.version} of this page`);
        const files = toPageFiles(await readManifest(db, row.manifest_id));
        const link = context.previewLinks.make(page, { version: row.version, by: signedIn(actor).userId });
        return { ...toVersion(row, page.version), ...link, html_content: row.html_content, files };
      },
    }),
  ];
}

function changeRoutes(context: PagesContext): Route[] {
  return [
    route({
      method: 'PATCH',
      path: '/api/pages/:id/versions/:version',
      operationId: 'updatePageVersion',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Change the note on a version',
      params: versionParams,
      body: PatchVersion,
      response: Version,
      async handle({ params, body, actor }) {
        const { page, row } = await changeNote(context, signedIn(actor), { ...params, ...body });
        return toVersion(row, page.version);
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/versions/:version/restore',
      operationId: 'restorePageVersion',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Make an earlier version current again, as a new version',
      params: versionParams,
      body: NoFields,
      bodyOptional: true,
      response: Restored,
      async handle({ params, actor }) {
        const version = await restoreVersion(context, signedIn(actor), params.id, params.version);
        return {
          success: true,
          message: `Version ${params.version} is back, as version ${version}.`,
          version,
        };
      },
    }),
  ];
}
