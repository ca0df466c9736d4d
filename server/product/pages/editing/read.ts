import type { BranchOf } from '../../../../contract/pages/branches/branches.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { PageFunctions } from '../../ports.ts';
import { listAllowedPeople } from '../access/change.ts';
import type { PageDirectory } from '../model/directory.ts';
import { findDocument } from '../model/page-store.ts';
import { toDetail, toMessage } from '../model/wire.ts';
import { findPicture } from '../pictures/store.ts';
import type { Views } from '../serving/views.ts';
import { findAgentFunctions } from './agent-function-store.ts';
import { readMessages } from './messages.ts';

export interface PageStateContext {
  db: Db;
  baseUrl: string;
  directory: PageDirectory;
  views: Views;
  functions: PageFunctions;
  /** What a page says about itself if it is a branch. */
  describeBranch(db: Db, page: PageRow): Promise<BranchOf | undefined>;
}

/** A page with its document and a part of its editing thread. */
export async function readPage(
  context: PageStateContext,
  actor: Actor,
  id: number,
  before: number | undefined,
) {
  const { db, directory, views } = context;
  await views.flushIfPossible();
  const { page, role } = await directory.requireRole(db, await findDocument(db, { id }), actor, 'read');
  const messages = await readMessages(db, page.id, before);
  const { page: detail, ...state } = await readState(context, page);
  return {
    page: { ...detail, html_content: page.html_content },
    // A page has one editing thread, which has the page's id.
    conversationId: page.id,
    messages: messages.map(toMessage),
    ...state,
    role,
    folderSeal: directory.passes.makeFolderSeal(page),
  };
}

/** Reads a page without its document. */
export async function readState(context: PageStateContext, page: PageRow) {
  const { db, baseUrl, views, functions } = context;
  const branch = page.branch_of === null ? undefined : await context.describeBranch(db, page);
  const agent_functions = await findAgentFunctions(db, page.id);
  const people = await listAllowedPeople(db, page);
  const picture = await findPicture(db, page.id);
  const counted = { ...page, views: page.views + views.pending(page.id) };
  return {
    page: toDetail(
      counted,
      { functions: await functions.list(db, page), agent_functions, people, picture, branch },
      baseUrl,
    ),
    versionCount: page.version,
    storageMode: page.storage_mode,
  };
}
