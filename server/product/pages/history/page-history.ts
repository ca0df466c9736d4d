import type { AgentFunction } from '../../../../contract/pages/page-functions.ts';
import { FEATURE_FLAGS } from '../../../../contract/pages/pages.ts';
import { notFound } from '../../../lib/errors.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';
import type { PageHistory, PageState } from '../../moment-ports.ts';
import type { PreviewLinks } from '../access/preview-links.ts';
import {
  agentFunctionsSize,
  findAgentFunctions,
  saveAgentFunctions,
} from '../editing/agent-function-store.ts';
import type { AgentFunctionsContext } from '../editing/agent-functions.ts';
import { addVersion } from '../model/add-version.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { updatePage } from '../model/page-store.ts';
import { readIsolation } from '../model/switches.ts';
import { currentState, findAuthor, findVersion } from '../model/version-store.ts';
import { listPageIds } from '../own/store.ts';

/** The settings that go back with a page. Who can see it, its addresses and its kind of data do not. */
const SETTINGS = ['name', 'description', 'spa', 'isolation', ...FEATURE_FLAGS] as const;

interface PageHistoryContext extends ChangeContext, AgentFunctionsContext {
  previewLinks: PreviewLinks;
}

/** Pages at a time, for moments. */
export function createPageHistory(given: PageHistoryContext): PageHistory {
  return {
    async read(db, page) {
      return {
        version: page.version,
        settings: Object.fromEntries(SETTINGS.map((name) => [name, page[name]])),
        agentFunctions: await findAgentFunctions(db, page.id),
      };
    },
    async restore(tx, page, state, { by, charge = given.chargeUsage }) {
      const context = { ...given, chargeUsage: charge };
      const version = await restoreDocument(context, tx, page, state.version, by);
      const changes = findChanges(page, state);
      if (version !== undefined) changes.version = version;
      if (Object.keys(changes).length > 0)
        await updatePage(tx, page.id, { ...changes, updated_at: context.now() });
      await restoreAgentFunctions(context, tx, page, state.agentFunctions);
      return version;
    },
    listOwned: (db, ownerId) => listPageIds(db, { ownerId, withBranches: true }),
    findAuthor,
    makePreview: (page, version, by) => given.previewLinks.make(page, { version, by }),
    changed: (pageId) => given.changed(pageId),
  };
}

/** Adds a version with the document and files of an earlier one, unless they are current. */
async function restoreDocument(
  context: PageHistoryContext,
  tx: Tx,
  page: PageRow,
  version: number,
  by: number,
): Promise<number | undefined> {
  if (version === page.version) return undefined;
  const old = await findVersion(tx, page.id, version);
  if (!old) throw notFound('Version {version} of this page was not found.', { version: String(version) });
  const current = await currentState(tx, page);
  const isSame = current.content_hash === old.content_hash && current.manifest_id === old.manifest_id;
  if (isSame) return undefined;
  return addVersion(context, tx, page, {
    html: old.html_content,
    size: old.size,
    manifestId: old.manifest_id,
    authorId: by,
  });
}

/** The columns that differ from a state. */
export function findChanges(page: PageRow, { settings }: Pick<PageState, 'settings'>): Partial<PageRow> {
  const changes = Object.fromEntries(
    SETTINGS.filter((name) => settings[name] !== undefined && settings[name] !== page[name]).map((name) => [
      name,
      settings[name],
    ]),
  ) as Partial<PageRow>;
  // A page that has allowed a service worker says so later too, because browsers have to end those that they have.
  const hadWorker = readIsolation(page).service_worker !== undefined;
  if (changes.isolation !== undefined && hadWorker)
    changes.isolation = JSON.stringify({ service_worker: false, ...JSON.parse(changes.isolation) });
  return changes;
}

/** Offers the functions to agents again that are still public. */
async function restoreAgentFunctions(
  { chargeUsage, findPublicFunctions }: AgentFunctionsContext,
  tx: Tx,
  page: PageRow,
  given: readonly AgentFunction[],
): Promise<void> {
  const slugs = given.map(({ slug }) => slug);
  const known = new Set(await findPublicFunctions(tx, page, slugs));
  const before = await agentFunctionsSize(tx, page.id);
  const offered = given.filter(({ slug }) => known.has(slug));
  const bytes = (await saveAgentFunctions(tx, page.id, offered)) - before;
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes });
}
