import { functionEndpoints } from '../../../contract/functions/endpoints.ts';
import { branchEndpoints } from '../../../contract/pages/branches/branch-endpoints.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { callApi } from '../../platform/http/index.ts';
import type { BuilderContext, Exchange } from './context.ts';

/** The branch that a run works on. Its functions are copies, which nobody uses before a person merges the branch. */
export interface BuiltBranch {
  name: string;
  /** What the page calls each function, and its slug. Those with secrets are left out: new code could send them away. */
  functions: Array<{ name: string; slug: string }>;
  /** Whether its records and tables are those of real people. */
  hasRealData: boolean;
}

/** Finds the branch that a page is; undefined if it is not a branch, or if the caller cannot see its functions. */
export async function findBranch(
  context: BuilderContext,
  exchange: Exchange,
  pageId: number,
): Promise<BuiltBranch | undefined> {
  const found = await callApi(context, exchange, pageEndpoints.getPage, { params: { id: pageId } });
  const { of, name } = (found.isOk && found.body.page.branch) || {};
  if (of === undefined || name === undefined) return undefined;
  const branch = await callApi(context, exchange, branchEndpoints.getBranch, { params: { id: of, name } });
  if (!branch.isOk) return undefined;
  const functions = [];
  for (const each of branch.body.functions) {
    const params = { slug: each.slug };
    const listed = await callApi(context, exchange, functionEndpoints.listSecrets, { params });
    if (listed.isOk && listed.body.secrets.length === 0) functions.push(each);
  }
  return { name, functions, hasRealData: branch.body.data === 'all' };
}
