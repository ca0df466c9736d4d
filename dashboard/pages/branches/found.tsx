import type { ComponentChildren } from 'preact';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty, Failure, Skeleton } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import type { Branch } from './api.ts';
import { loadBranches, useBranches } from './use-branches.ts';

interface Props {
  page: PageDetail;
  children: (branch: Branch) => ComponentChildren;
}

/** A screen about the branch that a page is. */
export function WithBranch({ page, children }: Props) {
  const mainId = page.branch?.of ?? 0;
  const { list, error } = useBranches(mainId);
  const branch = list?.branches.find((each) => each.page.id === page.id);
  if (!page.branch)
    return (
      <Empty
        title={t('Not found')}
        action={<Link href={toPageScreen(page.id)}>{t('Go to the editor')}</Link>}
      >
        {t('This page is not a branch.')}
      </Empty>
    );
  if (branch) return <>{children(branch)}</>;
  if (error) return <Failure error={error} retry={() => void loadBranches(mainId)} />;
  return list ? null : <Skeleton lines={8} />;
}

/** What people see who can change the branch and do not own the page. */
export function OwnerOnly() {
  return (
    <Empty icon="lock" title={t('For the owner of the page')}>
      {t('Only the owner compares a branch with its page and merges it. Tell them when it is ready.')}
    </Empty>
  );
}
