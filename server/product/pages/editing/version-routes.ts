import { pageVersionEndpoints } from '../../../../contract/pages/versions/version-endpoints.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { PreviewLinks } from '../access/preview-links.ts';
import type { CalledContext } from '../files/called-functions.ts';
import { readManifest } from '../files/store.ts';
import { toPageFiles } from '../files/wire.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { findPage } from '../model/page-store.ts';
import { findVersion, listVersions } from '../model/version-store.ts';
import { toVersion } from '../model/wire.ts';
import { restoreVersion } from './restore-version.ts';
import { changeNote } from './version-note.ts';

interface VersionContext extends ChangeContext, CalledContext {
  previewLinks: PreviewLinks;
}

const VERSIONS_AT_ONCE = 200;

/** Routes of the versions of a page. */
export function versionRoutes(context: VersionContext): Route[] {
  const { db, directory } = context;
  return [
    ...changeRoutes(context),
    handle(pageVersionEndpoints.listPageVersions, async ({ params, query, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const rows = await listVersions(db, page.id, query.before, VERSIONS_AT_ONCE);
      return { versions: rows.map((row) => toVersion(row, page.version)) };
    }),
    handle(pageVersionEndpoints.getPageVersion, async ({ params, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const row = await findVersion(db, page.id, params.version);
      if (!row)
        throw notFound('Version {version} of this page was not found.', { version: String(params.version) });
      const files = toPageFiles(await readManifest(db, row.manifest_id));
      const link = context.previewLinks.make(page, { version: row.version, by: actor.userId });
      return { ...toVersion(row, page.version), ...link, html_content: row.html_content, files };
    }),
  ];
}

function changeRoutes(context: VersionContext): Route[] {
  return [
    handle(pageVersionEndpoints.updatePageVersion, async ({ params, body, actor }) => {
      const { page, row } = await changeNote(context, actor, { ...params, ...body });
      return toVersion(row, page.version);
    }),
    handle(pageVersionEndpoints.restorePageVersion, async ({ params, actor }) => {
      const version = await restoreVersion(context, actor, params.id, params.version);
      return {
        success: true as const,
        message: `Version ${params.version} is back, as version ${version}.`,
        version,
      };
    }),
  ];
}
