import { done } from '../../../../contract/fields.ts';
import { draftEndpoints } from '../../../../contract/pages/draft-endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { PagesContext } from '../context.ts';
import { readManifest } from '../files/store.ts';
import { toPageFiles } from '../files/wire.ts';
import { findPage } from '../store.ts';
import { draftFileRoutes } from './file-routes.ts';
import { noDraft } from './find.ts';
import { publishDraft, removeDraft } from './publish.ts';
import { createDraft, patchDraft } from './save.ts';
import { findDraftDocument, listDrafts } from './store.ts';
import { toLinked } from './wire.ts';

/** Drafts: what is saved beside a page, and not published yet. */
export function draftRoutes(context: PagesContext): Route[] {
  return [
    ...listRoutes(context),
    ...oneDraftRoutes(context),
    ...publishRoutes(context),
    ...draftFileRoutes(context),
  ];
}

function listRoutes(context: PagesContext): Route[] {
  const { db, directory } = context;
  return [
    handle(draftEndpoints.listDrafts, async ({ params, actor }) => {
      const { userId } = actor;
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const rows = await listDrafts(db, page.id);
      const drafts = rows.map((row) => toLinked(row, page, context.previewLinks, userId));
      return { drafts, currentVersion: page.version };
    }),
    handle(draftEndpoints.createDraft, ({ params, body, actor }) =>
      createDraft(context, actor, params.id, body),
    ),
  ];
}

function oneDraftRoutes(context: PagesContext): Route[] {
  const { db, directory } = context;
  return [
    handle(draftEndpoints.getDraft, async ({ params, actor }) => {
      const { userId } = actor;
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const row = await findDraftDocument(db, page.id, params.draft);
      if (!row) throw noDraft();
      const files = toPageFiles(await readManifest(db, row.manifest_id));
      return {
        ...toLinked(row, page, context.previewLinks, userId),
        html_content: row.html_content,
        files,
      };
    }),
    handle(draftEndpoints.updateDraft, ({ params, body, actor }) => patchDraft(context, actor, params, body)),
    handle(draftEndpoints.deleteDraft, async ({ params, actor }) => {
      await removeDraft(context, actor, params);
      return done('The draft is deleted.');
    }),
  ];
}

function publishRoutes(context: PagesContext): Route[] {
  return [
    handle(draftEndpoints.publishDraft, ({ params, body, actor }) =>
      publishDraft(context, actor, params, body),
    ),
  ];
}
