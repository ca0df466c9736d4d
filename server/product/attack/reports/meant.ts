import type { Finding } from '../../../../contract/attack/attack.ts';
import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow } from '../../../platform/storage/index.ts';
import type { AttackContext } from '../context.ts';
import { addMeant, listMeant, MAX_MEANT, removeMeant } from './store.ts';

/** What is meant so on a page is meant so on its branches. */
export const findMeantPage = ({ id, branch_of }: Pick<PageRow, 'id' | 'branch_of'>) => branch_of ?? id;

/** Keeps that a finding is meant so, with who said it. A program could otherwise hide what it has made. */
export async function sayMeant(
  { db, now, pages }: AttackContext,
  actor: Actor,
  { id, key }: { id: string; key: string },
): Promise<void> {
  const page = await pages.require(db, await pages.find(db, id), actor, 'own');
  if (actor.isProgram) throw new AppError('FORBIDDEN', 'Only a person can say that a finding is meant so.');
  const pageId = findMeantPage(page);
  if ((await listMeant(db, pageId)).length >= MAX_MEANT)
    throw new AppError(
      'CONFLICT',
      'You said of {count} findings that they are meant so, which is the limit.',
      {
        count: MAX_MEANT,
      },
    );
  await addMeant(db, { pageId, key, by: actor.userId, now: now() });
}

export async function takeBackMeant(
  { db, pages }: AttackContext,
  actor: Actor,
  { id, key }: { id: string; key: string },
): Promise<void> {
  const page = await pages.require(db, await pages.find(db, id), actor, 'own');
  if (actor.isProgram) throw new AppError('FORBIDDEN', 'Only a person can say that a finding is meant so.');
  await removeMeant(db, findMeantPage(page), key);
}

/** The findings, with what is meant so at the end. */
export async function markMeant(db: Db, pageId: number, findings: readonly Finding[]): Promise<Finding[]> {
  const rows = new Map((await listMeant(db, pageId)).map((row) => [row.finding_key, row]));
  const marked = findings.map((finding) => {
    const row = rows.get(finding.key);
    return row ? { ...finding, meant: { by: row.username, at: toTimestamp(row.meant_at) } } : finding;
  });
  return marked.sort((a, b) => Number(a.meant !== null) - Number(b.meant !== null));
}
