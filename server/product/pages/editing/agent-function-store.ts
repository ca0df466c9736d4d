import { sql } from 'kysely';
import type { AgentFunction } from '../../../../contract/pages/page-functions.ts';
import { type Sizes, sizeAt, toSizes } from '../../../lib/sizes.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';

/** SQL for the functions that pages offer to agents. */

export async function findAgentFunctions(db: Db, pageId: number): Promise<AgentFunction[]> {
  const row = await db
    .selectFrom('page_agent_functions')
    .select('functions')
    .where('page_id', '=', pageId)
    .executeTakeFirst();
  return row ? (JSON.parse(row.functions) as AgentFunction[]) : [];
}

/** The bytes of the list of a page. */
export const agentFunctionsSize = async (db: Db, pageId: number): Promise<number> =>
  sizeAt(await measureAgentFunctions(db, [pageId]), pageId);

/** The bytes of the lists of pages. */
export async function measureAgentFunctions(db: Db, pageIds: number[]): Promise<Sizes> {
  const query = db
    .selectFrom('page_agent_functions')
    .select(['page_id as id', sql<number>`octet_length(functions)`.as('bytes')]);
  return toSizes(await query.where('page_id', 'in', pageIds).execute());
}

/** Saves the list, and returns its size. */
export async function saveAgentFunctions(
  tx: Tx,
  pageId: number,
  given: readonly AgentFunction[],
): Promise<number> {
  if (given.length === 0) {
    await tx.deleteFrom('page_agent_functions').where('page_id', '=', pageId).execute();
    return 0;
  }
  const functions = JSON.stringify(given);
  await tx
    .insertInto('page_agent_functions')
    .values({ page_id: pageId, functions })
    .onConflict((conflict) => conflict.column('page_id').doUpdateSet({ functions }))
    .execute();
  return Buffer.byteLength(functions);
}
