import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, navigate } from '../../router.tsx';
import { rich, t } from '../../texts/index.ts';
import {
  ACCESS_NAMES,
  Badge,
  Button,
  Empty,
  Failure,
  formatMoment,
  Icon,
  Menu,
  Progress,
  Section,
  Skeleton,
} from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import type { Branch, BranchList } from './api.ts';
import { CreateDialog } from './create-dialog.tsx';
import { DeleteDialog, RenameDialog } from './dialogs.tsx';
import { BRANCHES } from './places.ts';
import { loadBranches, useBranches } from './use-branches.ts';
import { DATA_WORDS } from './words.ts';

type Asked = { what: 'create' } | { what: 'rename' | 'delete'; branch: Branch };

/** All branches of a page. */
export function BranchesScreen({ page }: { page: PageDetail }) {
  const mainId = page.branch?.of ?? page.id;
  const { list, error, gone } = useBranches(mainId);
  const [asked, setAsked] = useState<Asked>();
  const isOwner = page.role === 'owner';
  const canMake = isOwner && !page.branch && list !== undefined;
  const isEmpty = list?.branches.length === 0;
  const make = (
    <Button icon="plus" onClick={() => setAsked({ what: 'create' })}>
      {t('New branch')}
    </Button>
  );
  return (
    <Section
      title={t('Branches')}
      hint={t('Copies of the page to try changes on, each at an address of its own.')}
      actions={canMake && !isEmpty && make}
    >
      <Notices page={page} gone={gone} />
      {!list ? (
        error ? (
          <Failure error={error} retry={() => void loadBranches(mainId)} />
        ) : (
          <Skeleton kind="rows" lines={2} />
        )
      ) : isEmpty ? (
        <Nothing action={canMake && make} />
      ) : (
        <>
          <ul class="branch-list">
            {list.branches.map((branch) => (
              <Line
                key={branch.page.id}
                branch={branch}
                isOwner={isOwner}
                isShown={branch.page.id === page.id}
                onAsk={(what) => setAsked({ what, branch })}
              />
            ))}
          </ul>
          <p class="hint">
            {t('{count} of {max} branches.', { count: list.branches.length, max: list.limit })}{' '}
            {!isOwner && t('Only the owner of the page makes, renames and deletes branches.')}
          </p>
        </>
      )}
      {asked && <Dialogs page={page} list={list} asked={asked} onClose={() => setAsked(undefined)} />}
    </Section>
  );
}

interface DialogsProps {
  page: PageDetail;
  list: BranchList | undefined;
  asked: Asked;
  onClose: () => void;
}

function Dialogs({ page, list, asked, onClose }: DialogsProps) {
  if (asked.what === 'create') {
    const onMade = (made: Branch) => navigate(toPageScreen(made.page.id));
    return <CreateDialog {...{ page, list, onMade, onClose }} />;
  }
  const { branch } = asked;
  if (asked.what === 'rename') return <RenameDialog branch={branch} onClose={onClose} />;
  const afterDelete = () => {
    if (branch.page.id === page.id) navigate(toPageScreen(branch.of, BRANCHES));
  };
  return <DeleteDialog branch={branch} onDone={afterDelete} onClose={onClose} />;
}

/** That only people change the page, and which branches disappeared. */
function Notices({ page, gone }: { page: PageDetail; gone: string[] }) {
  return (
    <>
      {page.protected && !page.branch && (
        <p class="notice">
          {rich(
            'This page is protected: agents and programs change only its branches. <change>Change this</change>',
            {
              change: (text) => <Link href={`${toPageScreen(page.id, 'settings')}#protection`}>{text}</Link>,
            },
          )}
        </p>
      )}
      {gone.map((name) => (
        <p key={name} class="notice warn" role="alert">
          {t(
            'The branch {name} is gone: it could not be made, or somebody deleted it. The page is as it was.',
            { name },
          )}
        </p>
      ))}
    </>
  );
}

function Nothing({ action }: { action: ComponentChildren }) {
  return (
    <Empty icon="branch" title={t('No branches yet')} action={action}>
      {t(
        'A branch has everything that the page has: text, files, functions, records and databases. What you or an agent does there changes nothing for your visitors.',
      )}
    </Empty>
  );
}

interface LineProps {
  branch: Branch;
  isOwner: boolean;
  isShown: boolean;
  onAsk: (what: 'rename' | 'delete') => void;
}

function Line({ branch, isOwner, isShown, onAsk }: LineProps) {
  const { name, page, base, data, access, state, by } = branch;
  const facts = [
    t('from {moment}', { moment: formatMoment(base) }),
    DATA_WORDS[data].short,
    t('seen by: {who}', { who: ACCESS_NAMES[access.mode] }),
    ...(by ? [t('made by {name}', { name: by })] : []),
  ];
  return (
    <li>
      <Icon name="branch" />
      <div>
        <p>
          <Link href={toPageScreen(page.id)}>
            <strong>{name}</strong>
          </Link>{' '}
          {isShown && <Badge>{t('You are here')}</Badge>}
        </p>
        <p class="hint">{facts.join(' · ')}</p>
        {state === 'making' && <Progress label={t('Is being made: records and databases are copied')} />}
      </div>
      <Menu
        label={t('Actions for {name}', { name })}
        items={[
          { label: t('Open in the editor'), icon: 'edit', href: toPageScreen(page.id) },
          { label: t('Open page'), icon: 'external', href: page.url, isExternal: true },
          ...(isOwner
            ? ([
                {
                  label: t('Rename…'),
                  icon: 'edit',
                  startsGroup: true,
                  onSelect: () => onAsk('rename'),
                },
                { label: t('Delete…'), icon: 'trash', isDanger: true, onSelect: () => onAsk('delete') },
              ] as const)
            : []),
        ]}
      />
    </li>
  );
}
