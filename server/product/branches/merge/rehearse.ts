import type { Rehearsal } from '../../../../contract/pages/branches/merge.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow } from '../../../platform/storage/index.ts';
import type { Branches } from '../branches.ts';
import type { BranchesContext } from '../context.ts';
import { applyContent } from './merging.ts';
import type { Preview } from './preview.ts';
import type { Pair } from './sides.ts';
import { toSaid } from './words.ts';

export interface MergeContext extends BranchesContext {
  branches: Pick<Branches, 'createThrowaway'>;
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
  { content, current, differences }: Preview,
): Promise<Rehearsal | null> {
  if (!content || differences.every(({ side }) => side === 'main')) return null;
  const copy = await context.branches.createThrowaway(pair.main, {
    ...{ data: 'schema', by: pair.main.owner_id, minutes: MINUTES },
  });
  try {
    const before = await context.check(actor, copy.page.id);
    await applyContent(
      context,
      { page: copy.page, current, content, by: pair.main.owner_id },
      { databases: { databases: [] }, note: async () => undefined },
    );
    const findings = await countFindings(context, actor, copy.page);
    if (!before) return { ok: true, problems: [], findings };
    const known = new Set(before);
    const after = (await context.check(actor, copy.page.id)) ?? [];
    const problems = after.filter((message) => !known.has(message)).slice(0, MAX_PROBLEMS);
    return {
      ok: problems.length === 0,
      problems: problems.map((message) => toSaid(phrase('{message}', { message }))),
      findings,
    };
  } finally {
    await copy.remove();
  }
}

/** What an attack finds on the copy. Null if it cannot be attacked now, for example because many pages are. */
async function countFindings({ attacks }: MergeContext, actor: Actor, copy: PageRow): Promise<number | null> {
  try {
    return (await attacks.attack(copy, actor, AbortSignal.timeout(ATTACK_MS))).findings.filter(
      ({ meant }) => !meant,
    ).length;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
