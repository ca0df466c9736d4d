import { useState } from 'preact/hooks';
import { Link } from '../../../router.tsx';
import { t } from '../../../texts/index.ts';
import {
  Button,
  Choice,
  Empty,
  formatMoment,
  type Loaded,
  Section,
  Select,
  Show,
  Skeleton,
  useLoad,
} from '../../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../../api.ts';
import type { Branch } from '../api.ts';
import { OwnerOnly, WithBranch } from '../found.tsx';
import { MERGE, UPDATE } from '../places.ts';
import { type BranchChanges, type Change, type ChangeKind, listChanges } from './api.ts';
import { ChangeLine } from './line.tsx';
import { KIND_WORDS, say, sayCounts } from './words.ts';

type Side = 'all' | 'branch' | 'main';

/** What differs between a branch and its page since they were the same. */
export function ChangesScreen({ page }: { page: PageDetail }) {
  return <WithBranch page={page}>{(branch) => <Compared page={page} branch={branch} />}</WithBranch>;
}

function Compared({ page, branch }: { page: PageDetail; branch: Branch }) {
  const isOwner = page.role === 'owner';
  const loaded = useLoad(
    async (signal) => (isOwner ? listChanges(branch, { side: 'conflicts' }, signal) : undefined),
    [branch.of, branch.name, branch.state],
  );
  if (!isOwner) return <OwnerOnly />;
  return (
    <Show loaded={loaded as Loaded<BranchChanges>} skeleton={<Skeleton kind="rows" />}>
      {(conflicts) => (
        <>
          <Section
            title={t('Changes')}
            hint={t('Compared with {moment}, when the branch and the page were the same.', {
              moment: formatMoment(conflicts.base),
            })}
            actions={<Actions page={page} found={conflicts} />}
          >
            <p role="status">
              {sayCounts(conflicts) || t('The branch and the page are the same.')}
              {conflicts.conflicts > 0 &&
                ` · ${t('{count|1 conflict|{count} conflicts}', { count: conflicts.conflicts })}`}
            </p>
            {conflicts.left_out.map((said) => (
              <p key={said.text} class="hint">
                {say(said)}
              </p>
            ))}
          </Section>
          {conflicts.conflicts > 0 && (
            <Section
              title={t('Conflicts')}
              hint={t(
                'Changed on the branch and on the page, and not in the same way. When you merge, you choose.',
              )}
            >
              <Lines branch={branch} first={conflicts} wanted={{ side: 'conflicts' }} />
            </Section>
          )}
          {conflicts.branch + conflicts.main > 0 && <Rest branch={branch} found={conflicts} />}
        </>
      )}
    </Show>
  );
}

function Actions({ page, found }: { page: PageDetail; found: BranchChanges }) {
  return (
    <>
      {found.main > 0 && (
        <Link class="button quiet" href={toPageScreen(page.id, UPDATE)}>
          {t('Update from the page')}
        </Link>
      )}
      {found.branch > 0 && (
        <Link class="button" href={toPageScreen(page.id, MERGE)}>
          {t('Merge')}
        </Link>
      )}
    </>
  );
}

/** All that is not in conflict, by side and kind. */
function Rest({ branch, found }: { branch: Branch; found: BranchChanges }) {
  const [side, setSide] = useState<Side>('all');
  const [kind, setKind] = useState<ChangeKind | ''>('');
  const kinds = [...new Set(found.groups.map((group) => group.kind))];
  const wanted = { ...(side !== 'all' && { side }), ...(kind && { kind }) };
  const loaded = useLoad((signal) => listChanges(branch, wanted, signal), [branch.name, side, kind, found]);
  return (
    <Section title={t('What has changed')}>
      <div class="branch-filter">
        <Choice<Side>
          label={t('Where')}
          value={side}
          options={[
            ['all', t('Everywhere')],
            ['branch', t('On the branch')],
            ['main', t('On the page')],
          ]}
          onChoose={setSide}
        />
        {kinds.length > 1 && (
          <Select
            label={t('Kind')}
            hideLabel
            value={kind}
            options={[['', t('Every kind')], ...kinds.map((each) => [each, KIND_WORDS[each]] as const)]}
            onChange={setKind}
          />
        )}
      </div>
      <Show loaded={loaded} skeleton={<Skeleton kind="rows" lines={3} />}>
        {(first) => <Lines key={`${side} ${kind}`} branch={branch} first={first} wanted={wanted} isRest />}
      </Show>
    </Section>
  );
}

interface LinesProps {
  branch: Branch;
  first: BranchChanges;
  wanted: Parameters<typeof listChanges>[1];
  /** Leaves out conflicts, which have a list of their own. */
  isRest?: boolean;
}

/** A list that grows with "Show more". */
function Lines({ branch, first, wanted, isRest = false }: LinesProps) {
  const [more, setMore] = useState<{ changes: Change[]; next: string | null }>();
  const next = more ? more.next : first.next;
  const all = [...first.changes, ...(more?.changes ?? [])];
  const shown = isRest ? all.filter(({ conflict }) => !conflict) : all;
  const readMore = async () => {
    if (next === null) return;
    const found = await listChanges(branch, { ...wanted, after: next });
    setMore({ changes: [...(more?.changes ?? []), ...found.changes], next: found.next });
  };
  return (
    <>
      {shown.length === 0 && next === null ? (
        <Empty title={t('No such changes')}>{t('Choose another side or kind above.')}</Empty>
      ) : (
        <ul class="branch-changes">
          {shown.map((change) => (
            <ChangeLine key={change.path} branch={branch} change={change} />
          ))}
        </ul>
      )}
      {next !== null && (
        <Button kind="quiet" onClick={readMore}>
          {t('Show more')}
        </Button>
      )}
    </>
  );
}
