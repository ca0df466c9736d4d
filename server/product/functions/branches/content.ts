import { MAX_PAGE_FUNCTIONS } from '../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { FunctionContent } from '../../merge-ports.ts';
import type { FunctionState } from '../../moment-ports.ts';
import { insertDatabase } from '../database/store.ts';
import {
  addVersion,
  countVersionBytes,
  toCurrentVersion,
  type VersionContent,
} from '../deploy/add-version.ts';
import type { DeployContext } from '../deploy/context.ts';
import { prove } from '../deploy/test-load.ts';
import { carryTakedown } from '../model/block.ts';
import { listOfBranch } from '../model/branch-store.ts';
import { parseFiles } from '../model/files.ts';
import { leaveWithMoments } from '../model/leave-page.ts';
import { assertCodeSize } from '../model/limits.ts';
import { joinPage } from '../model/page-store.ts';
import { findRemoved } from '../model/removed-store.ts';
import {
  findFunction,
  findFunctionById,
  insertFunction,
  lockFunction,
  updateFunction,
} from '../model/store.ts';
import { findVersion, insertVersion } from '../model/version-store.ts';
import { notScheduled, planSchedules, replaceSchedules } from '../schedules/change.ts';
import { listSchedules } from '../schedules/store.ts';
import { noQueue, replaceTriggers } from '../triggers/change.ts';

/** A function as it shall be, with the code that runs. */
export interface WantedFunction extends FunctionContent {
  /** The code that runs. Only for functions that are added, or get other code. */
  built?: VersionContent;
}

/** What became of functions in a merge. */
export interface AppliedFunctions {
  /** Those with other code than before, or that were not there. */
  functions: Array<{ slug: string; version: number }>;
  /** Slugs by the name that the page calls them by. */
  slugs: Map<string, string>;
  /** New databases, each with the one that it gets its content from. */
  databases: Array<{ to: number; from: number; slug: string }>;
  /** Functions that are read again, when this is committed. */
  changed: number[];
}

export type ContentContext = Pick<
  DeployContext,
  | 'db'
  | 'now'
  | 'chargeUsage'
  | 'moments'
  | 'bundler'
  | 'cells'
  | 'logs'
  | 'deployTurns'
  | 'databases'
  | 'registry'
  | 'sealer'
  | 'pages'
>;

/** The functions of a state of a page, by the name that it calls them by. */
export async function readContents(
  { db }: { db: Db },
  pageId: number,
  states: readonly FunctionState[],
): Promise<Map<string, FunctionContent>> {
  const contents = new Map<string, FunctionContent>();
  for (const state of states) {
    const { id, version, slug, branchSlug = slug, name, description, schedules, on = [], database } = state;
    const present = await findFunctionById(db, id);
    const { code, files } = await requireVersion(db, pageId, state);
    contents.set(branchSlug, {
      ...{ name, description, schedules, on, code, files, database },
      isPublic: present?.is_public === 1,
      takedown: carryTakedown(present ?? {}),
      version: { pageId, id, version },
    });
  }
  return contents;
}

async function requireVersion(
  db: Db,
  pageId: number,
  wanted: { id: number; version: number; slug?: string },
): Promise<VersionContent> {
  const present = await findFunctionById(db, wanted.id);
  const found =
    (await findVersion(db, wanted.id, wanted.version)) ??
    (present?.version === wanted.version ? toCurrentVersion(present) : await findRemoved(db, pageId, wanted));
  if (found) {
    const { code, files, bundle, source_map } = found;
    return { code, files, bundle, source_map };
  }
  throw new AppError(
    'CONFLICT',
    'The code that the function {slug} had at the base is no longer kept, so that it cannot be compared.',
    { slug: wanted.slug ?? String(wanted.id) },
  );
}

/** Finds or makes the code that runs. What a merge has made of two versions is compiled, and loaded in a cell. */
export async function build(
  context: ContentContext,
  ownerId: number,
  content: FunctionContent,
): Promise<WantedFunction> {
  const { version, code, files, schedules, on } = content;
  const built = version && (await requireVersion(context.db, version.pageId, version));
  const needsQueue = on.some(({ url }) => url === undefined);
  if (built && schedules.length === 0 && !needsQueue) return { ...content, built };
  if (!built) assertCodeSize(code, parseFiles(files));
  const proven = await prove(
    context,
    { userId: ownerId },
    built ?? { code, files },
    async () => ({ secrets: {} }),
    () => undefined,
  );
  const { hasScheduled, hasQueue } = proven.cell;
  proven.cell.kill();
  // The code can come from one side, and the schedules and triggers from the other.
  if (schedules.length > 0 && !hasScheduled) throw notScheduled();
  if (needsQueue && !hasQueue) throw noQueue();
  return { ...content, built: proven.content };
}

/** Makes the functions of a page those that are wanted, by name. */
export async function applyFunctions(
  context: ContentContext,
  tx: Tx,
  page: PageRow,
  wanted: ReadonlyMap<string, WantedFunction>,
): Promise<AppliedFunctions> {
  if (wanted.size > MAX_PAGE_FUNCTIONS)
    throw new AppError('CONFLICT', 'The page would have more than {count} functions, which is the limit.', {
      count: MAX_PAGE_FUNCTIONS,
    });
  const applied: AppliedFunctions = { functions: [], slugs: new Map(), databases: [], changed: [] };
  const present = new Map((await listOfBranch(tx, page.id)).map((each) => [each.name, each]));
  const databases = new Map<number, number>();
  for (const [name, { database }] of wanted) {
    const own = present.get(name)?.database_id;
    if (database !== null && own != null) databases.set(database, own);
  }
  for (const [name, each] of wanted) {
    const known = present.get(name);
    const slug = known
      ? await change(context, tx, page, { slug: known.slug, each }, applied)
      : await add(context, tx, page, { name, each, databases }, applied);
    applied.slugs.set(name, slug);
  }
  const gone = [...present].filter(([name]) => !wanted.has(name)).map(([, { slug }]) => slug);
  for (const slug of gone) {
    const row = await lockFunction(tx, slug);
    if (!row) continue;
    await leaveWithMoments(context, tx, page.id, [row]);
    applied.changed.push(row.id);
  }
  return applied;
}

async function change(
  context: ContentContext,
  tx: Tx,
  page: PageRow,
  { slug, each }: { slug: string; each: WantedFunction },
  applied: AppliedFunctions,
): Promise<string> {
  const row = await lockFunction(tx, slug);
  if (row?.page_id !== page.id) throw notFound('This function was not found.');
  const current = (await findVersion(tx, row.id, row.version)) ?? toCurrentVersion(row);
  const changes = { display_name: each.name, description: each.description };
  if (current.code !== each.code || current.files !== each.files) {
    const version = await addVersion(context, tx, { ...row, owner_id: page.owner_id }, requireBuilt(each));
    await updateFunction(tx, row.id, { ...changes, code: each.code, version, updated_at: context.now() });
    applied.functions.push({ slug, version });
    applied.changed.push(row.id);
  } else if (row.display_name !== each.name || row.description !== each.description) {
    await updateFunction(tx, row.id, { ...changes, updated_at: context.now() });
    applied.changed.push(row.id);
  }
  const known = (await listSchedules(tx, row.id)).map(({ cron, timezone }) => `${cron} ${timezone}`);
  // Planning takes a while, and all who write wait for this transaction.
  if (known.join('\n') !== each.schedules.map(({ cron, timezone }) => `${cron} ${timezone}`).join('\n')) {
    const planned = await planSchedules(each.schedules, context.now());
    await replaceSchedules(tx, { functionId: row.id, ownerId: page.owner_id }, planned, context.now());
  }
  await replaceTriggers(context, tx, { functionId: row.id, pageId: page.id }, each.on);
  return slug;
}

/** Adds a function that only the other page has. Its secrets are empty. */
async function add(
  context: ContentContext,
  tx: Tx,
  page: PageRow,
  given: { name: string; each: WantedFunction; databases: Map<number, number> },
  applied: AppliedFunctions,
): Promise<string> {
  const { name, each, databases } = given;
  const now = context.now();
  const free = page.branch_of === null ? await findFunction(tx, name) : undefined;
  // It belonged to the page before, for example until a merge was undone.
  if (free && free.owner_id === page.owner_id && free.page_id === null) {
    await joinPage(tx, page, [free.id]);
    return change(context, tx, page, { slug: name, each }, applied);
  }
  const slug = await freeSlug(context, tx, page, { name, applied });
  if (each.database !== null && !databases.has(each.database)) {
    const to = await insertDatabase(tx, page.owner_id, now);
    databases.set(each.database, to);
    applied.databases.push({ to, from: each.database, slug });
  }
  const built = requireBuilt(each);
  const size = countVersionBytes(built);
  await context.chargeUsage(tx, page.owner_id, { functions: 1, bytes: size });
  const id = await insertFunction(tx, {
    ...{ owner_id: page.owner_id, slug, display_name: each.name, description: each.description },
    ...{ code: each.code, is_public: each.isPublic ? 1 : 0, ...each.takedown },
    ...{ branch_slug: page.branch_of === null ? null : name },
    database_id: each.database === null ? null : (databases.get(each.database) ?? null),
    ...{ created_at: now, updated_at: now },
  });
  if (id === undefined) throw taken(slug);
  await insertVersion(tx, { function_id: id, version: 1, ...built, size, created_at: now, note: null });
  await joinPage(tx, page, [id]);
  const planned = await planSchedules(each.schedules, now);
  await replaceSchedules(tx, { functionId: id, ownerId: page.owner_id }, planned, now);
  await replaceTriggers(context, tx, { functionId: id, pageId: page.id }, each.on);
  applied.functions.push({ slug, version: 1 });
  applied.changed.push(id);
  return slug;
}

function requireBuilt({ built }: WantedFunction): VersionContent {
  if (!built) throw new Error('a function was merged that was not built');
  return built;
}

/**
 * The slug that a function gets on a page. On a main page it is its name: a function of a branch that has it, because it was
 * made there, gets another one and keeps its name.
 */
async function freeSlug(
  { pages }: Pick<ContentContext, 'pages'>,
  tx: Tx,
  page: PageRow,
  { name, applied: { changed } }: { name: string; applied: AppliedFunctions },
): Promise<string> {
  if (page.branch_of !== null) {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const slug = `${name.slice(0, MAX_NAME)}--${page.id}${tries === 1 ? '' : `-${tries}`}`;
      if (!(await findFunction(tx, slug))) return slug;
    }
    throw taken(name);
  }
  const holder = await findFunction(tx, name);
  if (!holder) return name;
  if (holder.owner_id !== page.owner_id || holder.branch_slug !== name) throw taken(name);
  const branch = await pages.find(tx, String(holder.page_id));
  if (branch?.branch_of !== page.id) throw taken(name);
  const other = `${name.slice(0, MAX_NAME)}--${holder.page_id}`;
  if (await findFunction(tx, other)) throw taken(name);
  await updateFunction(tx, holder.id, { slug: other });
  changed.push(holder.id);
  return name;
}

/** A slug has at most 100 letters. */
const MAX_NAME = 75;
const MAX_TRIES = 20;

const taken = (slug: string) =>
  new AppError(
    'CONFLICT',
    'A function with the slug {slug} exists already and does not belong to this page. Rename or remove it, or take functions/{slug} from main.',
    { slug },
  );
