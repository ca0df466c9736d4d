import { fault } from '../../../../contract/errors.ts';
import type { AgentFunction } from '../../../../contract/pages/page-functions.ts';
import { badRequest } from '../../../lib/errors.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { agentFunctionsSize, findAgentFunctions, saveAgentFunctions } from './agent-function-store.ts';

export interface AgentFunctionsContext {
  chargeUsage: ChargeUsage;
  /** Finds the functions with these slugs of the owner of a page that anyone who sees the page can call. */
  findPublicFunctions(
    db: Db,
    page: Pick<PageRow, 'id' | 'owner_id'>,
    slugs: readonly string[],
  ): Promise<string[]>;
}

/** Replaces the list, and charges the page's owner for the growth. */
export async function setAgentFunctions(
  { chargeUsage, findPublicFunctions }: AgentFunctionsContext,
  tx: Tx,
  page: PageRow,
  given: readonly AgentFunction[],
): Promise<void> {
  const slugs = given.map(({ slug }) => slug);
  const known = new Set(await findPublicFunctions(tx, page, slugs));
  // The error is the same for functions that are private, someone else's or missing: nobody learns which slugs exist.
  const faults = slugs.flatMap((slug, at) =>
    known.has(slug)
      ? []
      : [
          fault(
            `agent_functions.${at}.slug`,
            "{slug} is not a public function of the page's owner. Deploy it first, or make it public",
            { slug: JSON.stringify(slug) },
          ),
        ],
  );
  if (faults.length > 0) throw badRequest(faults);
  const before = await agentFunctionsSize(tx, page.id);
  const bytes = (await saveAgentFunctions(tx, page.id, given)) - before;
  if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes });
}

/** Copies the list to a fork of the same owner. Somebody else cannot offer these functions. */
export async function copyAgentFunctions(tx: Tx, from: PageRow, to: PageRow): Promise<number> {
  if (from.owner_id !== to.owner_id) return 0;
  return saveAgentFunctions(tx, to.id, await findAgentFunctions(tx, from.id));
}
