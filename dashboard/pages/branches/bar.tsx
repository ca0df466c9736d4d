import { useState } from 'preact/hooks';
import { UNUSED_BRANCH_DAYS } from '../../../contract/rules/limits.ts';
import { BranchBand, toMainPath } from '../../branches/index.tsx';
import { Link, navigate } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, formatDate, Icon, Menu, type MenuItem, Progress, say } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import { type Branch, keepBranch } from './api.ts';
import { CreateDialog } from './create-dialog.tsx';
import { BRANCH, BRANCHES, CHANGES, isOfBranches, MERGE } from './places.ts';
import { loadBranches, useBranches, useBranchRefresh } from './use-branches.ts';

interface Props {
  page: PageDetail;
  /** The tab that is open. */
  current: string;
}

/** The id of the page itself, also for a branch. */
const toMainId = ({ branch, id }: PageDetail) => branch?.of ?? id;

/** Finds the screen of another branch that shows what this screen shows, unless only branches have it. */
const sameScreen = (id: number, current: string) => toPageScreen(id, isOfBranches(current) ? '' : current);

/** Leads from a page to its branches and back, and makes new ones. */
export function BranchSwitch({ page, current }: Props) {
  const mainId = toMainId(page);
  useBranchRefresh(mainId);
  const { list } = useBranches(mainId);
  const [isMaking, setMaking] = useState(false);
  const isOwner = page.role === 'owner';
  const branches = list?.branches ?? [];
  if (!isOwner && !page.branch && branches.length === 0) return null;
  const name = page.branch?.name;
  return (
    <>
      <Menu
        class={`branch-switch ${name ? 'on-branch' : ''}`}
        label={name ? t('Branch {name}, choose another', { name }) : t('Branches of this page')}
        tip={name ?? t('Branches')}
        items={listItems(page, current, branches, () => setMaking(true))}
      >
        <Icon name="branch" size={17} />
        {name && <span>{name}</span>}
        <Icon name="chevron-down" size={14} />
      </Menu>
      {isMaking && (
        <CreateDialog
          page={page}
          list={list}
          onMade={(made) => navigate(toPageScreen(made.page.id))}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}

/** The page, its branches, and what else there is to do. */
function listItems(
  page: PageDetail,
  current: string,
  branches: readonly Branch[],
  onNew: () => void,
): MenuItem[] {
  const mainId = toMainId(page);
  const isOwner = page.role === 'owner';
  return [
    {
      label: t('The page itself'),
      icon: page.branch ? 'page' : 'check',
      href: page.branch ? sameScreen(mainId, current) : toPageScreen(mainId, current),
    },
    ...branches.map((branch) => toItem(branch, page, current)),
    ...(isOwner && !page.branch
      ? [
          {
            label: t('New branch…'),
            icon: 'plus',
            startsGroup: true,
            onSelect: onNew,
          } as const,
        ]
      : []),
    ...(page.branch
      ? [
          {
            label: t('Functions and mail'),
            icon: 'mail',
            href: toPageScreen(page.id, BRANCH),
            startsGroup: true,
          } as const,
        ]
      : []),
    {
      label: t('All branches'),
      icon: 'rows',
      href: toPageScreen(mainId, BRANCHES),
      startsGroup: !isOwner && !page.branch,
    },
  ];
}

const toItem = ({ name, state, page: { id } }: Branch, shown: PageDetail, current: string): MenuItem => ({
  label: name,
  icon: id === shown.id ? 'check' : 'branch',
  href: id === shown.id ? toPageScreen(id, current) : sameScreen(id, current),
  ...(state === 'making' && { note: t('is being made') }),
});

/** Says that this is a branch, and leads to what can be done with it. */
export function PageBranchBand({ page, current }: Props) {
  const mainId = toMainId(page);
  const { list, gone } = useBranches(mainId);
  const { name = '' } = page.branch ?? {};
  const branch = list?.branches.find((each) => each.page.id === page.id);
  return (
    <BranchBand
      name={branch?.name ?? name}
      path={toMainPath(branch?.page.slug ?? page.slug, branch?.name ?? name)}
      href={toPageScreen(mainId)}
      back={{ href: sameScreen(mainId, current), label: t('Back to the page') }}
      state={<State branch={branch} isOwner={page.role === 'owner'} isGone={gone.includes(name)} />}
    >
      <Link href={toPageScreen(page.id, CHANGES)} current={current === CHANGES}>
        {t('Changes')}
      </Link>
      {page.role === 'owner' && (
        <Link href={toPageScreen(page.id, MERGE)} current={current === MERGE}>
          {t('Merge')}
        </Link>
      )}
      <Link href={toPageScreen(page.id, BRANCH)} class="branch-own" current={current === BRANCH}>
        {t('Functions and mail')}
      </Link>
    </BranchBand>
  );
}

interface StateProps {
  branch: Branch | undefined;
  isOwner: boolean;
  isGone: boolean;
}

function State({ branch, isOwner, isGone }: StateProps) {
  if (isGone)
    return (
      <p role="alert">
        {t('It is gone: it could not be made, or somebody deleted it. The page is as it was.')}
      </p>
    );
  if (branch?.state === 'making')
    return (
      <Progress
        label={t(
          'The branch is being made: records and databases are copied. You can look around meanwhile, but change no data yet.',
        )}
      />
    );
  return branch?.ends_at ? <Unused branch={branch} endsAt={branch.ends_at} isOwner={isOwner} /> : null;
}

/** Says when a branch is deleted that nobody uses, and lets its owner keep it. */
function Unused({ branch, endsAt, isOwner }: { branch: Branch; endsAt: string; isOwner: boolean }) {
  const keep = async () => {
    await keepBranch(branch.of, branch.name);
    await loadBranches(branch.of);
    say(t('Kept {name}.', { name: branch.name }));
  };
  return (
    <p>
      {t(
        'Nobody has visited or changed this branch for {count|one day|{count} days}. It is deleted on {date}.',
        {
          count: UNUSED_BRANCH_DAYS,
          date: formatDate(endsAt),
        },
      )}{' '}
      {isOwner && <Button onClick={keep}>{t('Keep it')}</Button>}
    </p>
  );
}
