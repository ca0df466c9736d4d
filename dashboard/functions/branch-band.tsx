import { pageEndpoints } from '../../contract/pages/endpoints.ts';
import { call } from '../api.ts';
import { BranchBand, toMainPath } from '../branches/index.tsx';
import { t } from '../texts/index.ts';
import { useLoad } from '../ui/index.ts';
import type { FunctionDetail } from './api.ts';

/** Says that a function is the copy of a branch, and leads to the branch. */
export function FunctionBranchBand({ page }: { page: NonNullable<FunctionDetail['page']> }) {
  const loaded = useLoad(
    (signal) => call(pageEndpoints.getPage, { params: { id: page.id }, signal }),
    [page.id],
  );
  const branch = loaded.value?.page.branch;
  if (!branch) return null;
  return (
    <BranchBand
      name={branch.name}
      path={toMainPath(page.slug, branch.name)}
      href={`/pages/${branch.of}`}
      back={{ href: `/pages/${page.id}`, label: t('Back to the branch') }}
    />
  );
}
