import type { Access, SetAccess } from '../../../../contract/pages/access.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { PageContent } from '../../merge-ports.ts';
import type { PageState } from '../../moment-ports.ts';
import type { ChargeUsage } from '../../ports.ts';
import { listAllowedPeople, newStamp } from '../access/change.ts';
import { saveAgentFunctions } from '../editing/agent-function-store.ts';
import { removeAdmitted } from '../editing/remove.ts';
import { patchPage } from '../editing/update.ts';
import { copyVersionFiles } from '../files/copy.ts';
import type { PageFiles } from '../files/page-files.ts';
import { findPage, listBranches, updatePage } from '../model/page-store.ts';
import { insertPage, moveSlug } from '../model/slug-store.ts';
import { findVersion, insertVersion } from '../model/version-store.ts';
import { toAccess } from '../model/wire.ts';
import type { RoutesContext } from '../routes.ts';
import { type Applied, applyContent, readContent } from './content.ts';

/** The part of pages that branches need. */
export interface PageBranches {
  /** Adds the page of a branch: unlisted, for its team, with a version of the main page and the settings of then. */
  create(
    tx: Tx,
    main: PageRow,
    branch: { slug: string; state: PageState; by: number; charge: ChargeUsage },
  ): Promise<PageRow>;
  /** Offers functions to agents, under the slugs that they have on the branch. */
  offer(tx: Tx, branch: PageRow, offered: PageState['agentFunctions'], charge: ChargeUsage): Promise<void>;
  rename(tx: Tx, branch: PageRow, slug: string): Promise<void>;
  setAccess(actor: Actor, pageId: number, access: SetAccess, address: string): Promise<void>;
  readAccess(db: Db, page: PageRow): Promise<Access>;
  remove(pageId: number): Promise<void>;
  /** The pages that are branches of this one, with those that nobody sees in lists. */
  listBranches(db: Db, pageId: number): Promise<number[]>;
  find(db: Db, id: number): Promise<PageRow | undefined>;
  /** The document, files and settings of a state of a page, to compare them. */
  readContent(pageId: number, state: PageState): Promise<PageContent>;
  /** Makes the document, files and settings of a page those of `content`, in one transaction with what else is merged. */
  applyContent<Result extends Applied>(
    pageId: number,
    given: { content: PageContent; by: number },
    work: (tx: Tx, page: PageRow) => Promise<Result>,
    finish: (tx: Tx, result: Result, version: number | undefined) => Promise<void>,
  ): Promise<{ result: Result; version: number | undefined }>;
  /** Call this when a change of a page is committed. */
  changed(pageId: number): void;
}

export function createPageBranches(context: RoutesContext & { files: PageFiles }): PageBranches {
  return {
    async create(tx, main, { slug, state, by, charge }) {
      const { id: _, slug: __, ...settings } = { ...main, ...state.settings };
      const now = context.now();
      const old = await findVersion(tx, main.id, state.version);
      if (!old)
        throw notFound('Version {version} of this page was not found.', { version: String(state.version) });
      const values = {
        ...settings,
        ...{
          protected: 0,
          repair: 0,
          attack_first: 0,
          is_published: 1,
          is_unlisted: 1,
          branch_of: main.id,
          created_at: now,
          updated_at: now,
        },
        ...{ access_mode: 'team' as const, access_stamp: newStamp(), access_expires_at: null },
      };
      const page = await insertPage(tx, values, slug);
      await insertVersion(tx, {
        ...{ pageId: page.id, version: 1, html: old.html_content, size: old.size },
        ...{ manifestId: null, authorId: by, now },
      });
      const bytes = await copyVersionFiles(tx, old.manifest_id, page);
      await charge(tx, main.owner_id, { pages: 1, bytes: bytes + old.size });
      return page;
    },
    async offer(tx, branch, offered, charge) {
      const bytes = await saveAgentFunctions(tx, branch.id, offered);
      if (bytes !== 0) await charge(tx, branch.owner_id, { bytes });
    },
    async rename(tx, branch, slug) {
      await moveSlug(tx, branch, slug, context.now());
      await updatePage(tx, branch.id, { slug, updated_at: context.now() });
    },
    async setAccess(actor, pageId, access, address) {
      await patchPage(context, actor, pageId, { access }, address);
    },
    readAccess: async (db, page) => toAccess(page, await listAllowedPeople(db, page)),
    remove: (pageId) => removeAdmitted(context, pageId, async () => undefined),
    listBranches: async (db, pageId) => (await listBranches(db, pageId)).map(({ id }) => id),
    find: findPage,
    readContent: (pageId, state) => readContent(context, pageId, state),
    applyContent: (pageId, given, work, finish) => applyContent(context, pageId, given, work, finish),
    changed: context.changed,
  };
}
