import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Empty, Failure, Skeleton } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import type { Branch } from './api.ts';
import { BRANCHES } from './places.ts';
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
  // The list may be older than the branch.
  const [isFresh, setFresh] = useState(false);
  const isMissing = list !== undefined && !branch;
  useEffect(() => {
    if (isMissing) void loadBranches(mainId).then(() => setFresh(true));
  }, [isMissing, mainId]);
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
  return list && isFresh ? <Gone page={page} /> : <Skeleton lines={8} />;
}

/** It was there when the page was loaded. */
function Gone({ page: { branch } }: { page: PageDetail }) {
  const { of = 0, name = '' } = branch ?? {};
  return (
    <div role="alert">
      <Empty
        icon="branch"
        title={t('The branch {name} is gone', { name })}
        action={
          <>
            <Link href={toPageScreen(of, BRANCHES)}>{t('All branches')}</Link>{' '}
            <Link href={toPageScreen(of)}>{t('Back to the page')}</Link>
          </>
        }
      >
        {t('Somebody deleted it, or it could not be made. The page is as it was.')}
      </Empty>
    </div>
  );
}

/** What people see who can change the branch and do not own the page. */
export function OwnerOnly() {
  return (
    <Empty icon="lock" title={t('For the owner of the page')}>
      {t('Only the owner compares a branch with its page and merges it. Tell them when it is ready.')}
    </Empty>
  );
}
