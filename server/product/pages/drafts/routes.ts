import { Done, idParams } from '../../../../contract/fields.ts';
import {
  CreateDraft,
  DraftDetail,
  DraftList,
  draftParams,
  PatchDraft,
  PublishDraft,
  PublishedDraft,
  SavedDraft,
} from '../../../../contract/pages/drafts.ts';
import { PAGE_BODY_LIMIT } from '../../../../contract/pages/pages.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
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

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const DRAFT = '/api/pages/:id/drafts/:draft';

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
    route({
      method: 'GET',
      path: '/api/pages/:id/drafts',
      operationId: 'listDrafts',
      access: READ,
      summary: 'List the drafts of a page, last saved first',
      params: idParams,
      response: DraftList,
      async handle({ params, actor }) {
        const { userId } = signedIn(actor);
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        const rows = await listDrafts(db, page.id);
        const drafts = rows.map((row) => toLinked(row, page, context.previewLinks, userId));
        return { drafts, currentVersion: page.version };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/drafts',
      operationId: 'createDraft',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Save a draft beside a page: visitors do not see it until it is published',
      params: idParams,
      body: CreateDraft,
      bodyLimit: PAGE_BODY_LIMIT,
      status: 201,
      response: SavedDraft,
      handle: ({ params, body, actor }) => createDraft(context, signedIn(actor), params.id, body),
    }),
  ];
}

function oneDraftRoutes(context: PagesContext): Route[] {
  const { db, directory } = context;
  return [
    route({
      method: 'GET',
      path: DRAFT,
      operationId: 'getDraft',
      access: READ,
      summary: 'Read a draft: its document, and the list of its files',
      params: draftParams,
      response: DraftDetail,
      async handle({ params, actor }) {
        const { userId } = signedIn(actor);
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        const row = await findDraftDocument(db, page.id, params.draft);
        if (!row) throw noDraft();
        const files = toPageFiles(await readManifest(db, row.manifest_id));
        return {
          ...toLinked(row, page, context.previewLinks, userId),
          html_content: row.html_content,
          files,
        };
      },
    }),
    route({
      method: 'PATCH',
      path: DRAFT,
      operationId: 'updateDraft',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Save a draft again: all given fields, or none',
      params: draftParams,
      body: PatchDraft,
      bodyLimit: PAGE_BODY_LIMIT,
      response: SavedDraft,
      handle: ({ params, body, actor }) => patchDraft(context, signedIn(actor), params, body),
    }),
    route({
      method: 'DELETE',
      path: DRAFT,
      operationId: 'deleteDraft',
      access: WRITE,
      summary: 'Delete a draft, for good',
      params: draftParams,
      response: Done,
      async handle({ params, actor }) {
        await removeDraft(context, signedIn(actor), params);
        return { success: true, message: 'The draft is deleted.' };
      },
    }),
  ];
}

function publishRoutes(context: PagesContext): Route[] {
  return [
    route({
      method: 'POST',
      path: `${DRAFT}/publish`,
      operationId: 'publishDraft',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: WRITE,
      summary: 'Make a draft the next version of its page; the draft is gone then',
      params: draftParams,
      body: PublishDraft,
      bodyOptional: true,
      response: PublishedDraft,
      handle: ({ params, body, actor }) => publishDraft(context, signedIn(actor), params, body),
    }),
  ];
}
