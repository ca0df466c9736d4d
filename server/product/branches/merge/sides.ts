import { notFound } from '../../../lib/errors.ts';
import type { BranchRow, PageRow } from '../../../platform/storage/index.ts';
import type { FunctionState, PageState } from '../../moment-ports.ts';
import { type Base, type Bases, readBases } from '../bases.ts';
import type { BaseMoment, BranchesContext, PageAt } from '../context.ts';
import type { Sides } from './compare.ts';
import type { Content } from './leaves.ts';

/** A branch and its page, with what they are compared with. */
export interface Pair {
  row: BranchRow;
  branch: PageRow;
  main: PageRow;
  bases: Bases;
}

/** What a side is read from: a page at a moment, or as it is. */
interface Source {
  page: PageAt;
  state: { page: PageState; functions: FunctionState[] };
}

type Moment = Source & { state: BaseMoment['state'] };

export async function findPair({ db, parts }: BranchesContext, row: BranchRow): Promise<Pair> {
  const { pages } = parts();
  const [main, branch] = [await pages.find(db, row.of_page_id), await pages.find(db, row.page_id)];
  if (!main || !branch) throw notFound('This page was not found.');
  const { page, records, databases } = readBases(row);
  return { row, branch, main, bases: { page, records, databases } };
}

/** The kind of data that is merged, as its paths name it, such as `social`. */
export function findDataName(context: BranchesContext, { main }: Pair) {
  const type = context.parts().records.findMergedType(main);
  return type && { type, name: type.replace('_data', '') };
}

/** A moment that must still be kept. */
export async function requireMoment({ moments }: BranchesContext, { pageId, at }: Base): Promise<Moment> {
  const found = await moments.find(pageId, at);
  if (found?.at === at) return { page: { pageId, at }, state: found.state };
  throw notFound('The moment that this branch is compared with is no longer kept. Make a new branch.');
}

/** A page as it is. */
export async function readNow({ db, moments }: BranchesContext, page: PageRow): Promise<Source> {
  return { page: { pageId: page.id }, state: await moments.readState(db, page) };
}

/** Everything of a branch, its page and their base, except records and databases. */
export async function readSides(
  context: BranchesContext,
  pair: Pair,
  { branch, main }: { branch: Source; main: Source },
): Promise<Sides> {
  const base = await requireMoment(context, pair.bases.page);
  return {
    base: await readSide(context, pair, base),
    branch: await readSide(context, pair, branch),
    main: await readSide(context, pair, main),
  };
}

async function readSide(context: BranchesContext, pair: Pair, { page, state }: Source): Promise<Content> {
  const { pages, functions, records } = context.parts();
  const content = await pages.readContent(page.pageId, state.page);
  const names = new Map(state.functions.map(({ slug, branchSlug }) => [slug, branchSlug ?? slug]));
  content.agentFunctions = content.agentFunctions.map((each) => ({
    ...each,
    slug: names.get(each.slug) ?? each.slug,
  }));
  const data = findDataName(context, pair);
  const collections = data ? await records.readCollections(data.type, page) : [];
  return {
    page: content,
    functions: await functions.readContents(page.pageId, state.functions),
    collections: new Map([...collections].map(([name, each]) => [`${data?.name}/${name}`, each])),
  };
}
