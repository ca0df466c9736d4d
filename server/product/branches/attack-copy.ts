import type { Finding } from '../../../contract/attack/attack.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { Branches } from './branches.ts';
import type { BranchesContext } from './context.ts';

/** How long a copy stays if the server dies in the middle: longer than an attack takes. */
const MINUTES = 10;

/** Attacks a copy of a page with a change that is not on the page yet. */
export async function attackCopy(
  { db, attacks, parts }: BranchesContext,
  branches: Pick<Branches, 'createThrowaway'>,
  page: PageRow,
  { by, change }: { by: Actor; change(copy: PageRow): Promise<void> },
): Promise<Finding[]> {
  const order = { data: 'schema', by: page.owner_id, minutes: MINUTES } as const;
  const copy = await branches.createThrowaway(page, order);
  try {
    await change(copy.page);
    const changed = await parts().pages.find(db, copy.page.id);
    return (await attacks.attack(changed ?? copy.page, by)).findings;
  } finally {
    await copy.remove();
  }
}

/** What must be mended first: it is serious, and nobody has said that it is meant so. */
export const listSerious = (findings: readonly Finding[]) =>
  findings.filter(({ severity, meant }) => severity === 'high' && !meant);
