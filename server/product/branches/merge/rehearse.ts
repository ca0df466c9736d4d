import type { Finding } from '../../../../contract/attack/attack.ts';
import { ATTACK_SECONDS } from '../../../../contract/attack/kinds.ts';
import { FINDING_WORDS } from '../../../../contract/attack/words.ts';
import type { Rehearsal } from '../../../../contract/pages/branches/merge.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import { withoutThrowawayName } from '../../../lib/throwaway-names.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import { listSerious } from '../attack-copy.ts';
import type { Branches, Throwaway } from '../branches.ts';
import type { BranchesContext } from '../context.ts';
import { applyContent } from './apply-content.ts';
import { dropSnapshots, mergeDatabases } from './databases/apply.ts';
import { findDatabases } from './databases/find.ts';
import type { Content } from './leaves.ts';
import type { Preview, Wish } from './preview.ts';
import { type Pair, requireMoment } from './sides.ts';
import { toSaid, UNTRIED } from './words.ts';

export interface MergeContext extends BranchesContext {
  branches: Pick<Branches, 'createThrowaway'>;
}

/** What is rehearsed: what was found, and the moment of the branch that is merged. */
interface Rehearsed {
  found: Preview;
  wish: Wish;
  from: number;
}

const MINUTES = 10;
/** How long a copy is attacked, because a person waits. */
const ATTACK_MS = 15_000;
/** Problems that are shown. */
const MAX_PROBLEMS = 20;

/**
 * Merges into a copy of the page, and opens it in a browser. What goes wrong there and not on a copy without the changes is
 * a problem of the merge. Null if there is nothing to rehearse.
 */
export async function rehearse(
  context: MergeContext,
  actor: Actor,
  pair: Pair,
  given: Rehearsed,
): Promise<Rehearsal | null> {
  const { content, differences, databases } = given.found;
  const isSame = differences.every(({ side }) => side === 'main') && !databases.isChanged;
  if (!content || isSame) return null;
  const copy = await context.branches.createThrowaway(pair.main, {
    ...{ data: 'schema', by: pair.main.owner_id, minutes: MINUTES },
  });
  try {
    const before = await context.check(actor, copy.page.id);
    await mergeIntoCopy(context, pair, copy, { ...given, content });
    const { findings, serious } = await countFindings(context, actor, pair, copy.page);
    const after = before && (await context.check(actor, copy.page.id));
    if (!before || !after) return { ok: null, problems: [], findings, serious, not_tried: toSaid(UNTRIED) };
    const known = new Set(before);
    const problems = after.filter((message) => !known.has(message)).slice(0, MAX_PROBLEMS);
    return {
      ok: problems.length === 0,
      problems: problems.map((message) => toSaid(phrase('{message}', { message }))),
      ...{ findings, serious, not_tried: null },
    };
  } finally {
    await copy.remove();
  }
}

/** Gives a copy without rows the merged code and the merged schemas. */
async function mergeIntoCopy(
  context: MergeContext,
  pair: Pair,
  { page }: Throwaway,
  { found, wish, from, content }: Rehearsed & { content: Content },
): Promise<void> {
  const { functions, snapshots } = context.parts();
  const { owner_id } = pair.main;
  const other = await requireMoment(context, { pageId: pair.branch.id, at: from });
  const { current } = found;
  const copied = await context.moments.readState(context.db, page);
  const sides = { branch: other.state.functions, main: copied.functions };
  const merged = await mergeDatabases(context, {
    ...{ pair, found: await findDatabases(context, pair, sides), stripped: 'main' },
    wish: { into: 'main', take: wish.take ?? [], tables: [], confirm: true },
    functions: { wanted: content.functions, current: current.functions },
    read: ({ base, branch, main }) => ({
      ...{ ownerId: owner_id, base, branch: { database: branch }, main: { database: main } },
    }),
    findTarget: ({ main }) => main,
  });
  const plan = await applyContent(
    context,
    { page, current, content, by: owner_id },
    { databases: other.state, note: async () => undefined },
  );
  for (const { database, snapshot } of [...plan.replacing, ...merged.replacing])
    await snapshots.replace(owner_id, database, snapshot);
  await dropSnapshots(context, merged);
  // New databases came with what the branch has in them.
  if (plan.replacing.length > 0) await functions.strip(page, 'schema');
}

/**
 * How much more an attack finds on the copy than on the page, and what is serious. Null if one of them cannot be attacked
 * now, for example because many pages are.
 */
async function countFindings(
  { attacks }: MergeContext,
  actor: Actor,
  { main }: Pair,
  copy: PageRow,
): Promise<Pick<Rehearsal, 'findings' | 'serious'>> {
  const longest = main.attack_first === 1 ? ATTACK_SECONDS * 1000 : ATTACK_MS;
  const attack = async (page: PageRow) => {
    const { findings } = await attacks.attack(page, actor, AbortSignal.timeout(longest));
    return findings.filter(({ meant }) => !meant);
  };
  // A copy has another address.
  const identify = (page: PageRow, { kind, name, fields }: Finding) =>
    [kind, name.replaceAll(page.slug, withoutThrowawayName(page.slug)), fields].join(' ');
  try {
    const found = await attack(copy);
    const serious = listSerious(found).map(({ kind, name, fields }) =>
      toSaid({ ...FINDING_WORDS[kind].title, values: { name, fields } }),
    );
    if (found.length === 0) return { findings: 0, serious };
    const known = new Set((await attack(main)).map((each) => identify(main, each)));
    return { findings: found.filter((each) => !known.has(identify(copy, each))).length, serious };
  } catch (error) {
    if (error instanceof AppError) return { findings: null, serious: null };
    throw error;
  }
}
