import { done } from '../../../../contract/fields.ts';
import { draftEndpoints } from '../../../../contract/pages/draft-endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { readManifest } from '../files/store.ts';
import { toPageFiles } from '../files/wire.ts';
import { findDraftDocument, listDrafts } from '../model/draft-store.ts';
import { findPage } from '../model/page-store.ts';
import { draftFileRoutes } from './file-routes.ts';
import { type DraftContext, noDraft } from './find.ts';
import { publishDraft, removeDraft } from './publish.ts';
import { createDraft, patchDraft } from './save.ts';
import { toLinked } from './wire.ts';

/** Routes of drafts, which are saved beside a page and not published yet. */
export function draftRoutes(context: DraftContext): Route[] {
  return [
    ...listRoutes(context),
    ...oneDraftRoutes(context),
    ...publishRoutes(context),
    ...draftFileRoutes(context),
  ];
}

function listRoutes(context: DraftContext): Route[] {
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

function oneDraftRoutes(context: DraftContext): Route[] {
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

function publishRoutes(context: DraftContext): Route[] {
  return [
    handle(draftEndpoints.publishDraft, ({ params, body, actor }) =>
      publishDraft(context, actor, params, body),
    ),
  ];
}
