import { useState } from 'preact/hooks';
import { Link, search, setSearch } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, Choice, Empty, Show, Skeleton, say } from '../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../api.ts';
import type { MomentList as Listed, Moment } from './api.ts';
import { Facts } from './facts.tsx';
import { KeepDialog } from './keep-dialog.tsx';
import { MomentList } from './moment-list.tsx';
import { VERSIONS } from './nav.tsx';
import { RestoreReport } from './restore-report.tsx';
import { Stage } from './stage.tsx';
import { TimeLine } from './time-line.tsx';
import { type Moments, useMoments } from './use-moments.ts';
import { useRestore } from './use-restore.ts';
import { type Filter, passes } from './words.ts';

interface HistoryProps {
  page: PageDetail;
  /** After a restore, the page is another one. */
  onRestored: () => Promise<void>;
}

/** The page with its functions, databases and records over time. It can go back to each moment. */
export function HistoryScreen({ page, onRestored }: HistoryProps) {
  const moments = useMoments(page.id);
  const restoring = useRestore(page.id, async () => {
    await onRestored();
    await moments.refresh().catch(() => undefined);
  });
  return (
    <div class="history">
      <RestoreReport pageId={page.id} restoring={restoring} />
      <Show loaded={moments.loaded} skeleton={<Skeleton kind="rows" />}>
        {(list) => <Found {...{ page, moments, restoring, list }} />}
      </Show>
    </div>
  );
}

interface FoundProps extends Pick<HistoryProps, 'page'> {
  moments: Moments;
  restoring: ReturnType<typeof useRestore>;
  list: Listed;
}

/** The chosen moment is in the address. The back button leaves the screen. */
const choose = (moment: Moment | undefined) =>
  setSearch(new URLSearchParams(moment ? { at: moment.at } : {}), true);

function Found({ page, moments, restoring, list }: FoundProps) {
  const [filter, setFilter] = useState<Filter>('all');
  const [isKeeping, setKeeping] = useState(false);
  const shown = list.moments.filter((moment) => passes(filter, moment));
  const at = new URLSearchParams(search.value).get('at');
  const index = shown.findIndex((moment) => moment.at === at);
  const chosen = index < 0 ? undefined : index;
  const changeFilter = (next: Filter) => {
    setFilter(next);
    // What somebody looks for may be long ago.
    if (next !== 'all') moments.readOlder(true).catch((error: Error) => say(error.message, 'bad'));
  };
  const kept = async (moment: Moment) => {
    setKeeping(false);
    await moments.refresh();
    choose(moment);
  };
  const deleted = async () => {
    choose(undefined);
    await moments.loaded.reload();
  };
  if (list.moments.length === 0 && list.days === 0) return <TurnedOff page={page} />;
  return (
    <>
      {list.days === 0 && <NoMoreMoments />}
      <HistoryBar list={list} filter={filter} onFilter={changeFilter} onKeep={() => setKeeping(true)} />
      {shown.length === 0 ? (
        <NoMoments isFiltered={list.moments.length > 0} />
      ) : (
        <>
          <TimeLine moments={shown} chosen={chosen} onChoose={choose} />
          <div class="history-sides">
            <MomentList
              key={filter}
              moments={shown}
              chosen={chosen}
              onChoose={choose}
              hasOlder={moments.hasOlder}
              onOlder={() => moments.readOlder()}
            />
            <Stage page={page} moment={shown[index]} restoring={restoring} onDeleted={deleted} />
          </div>
        </>
      )}
      <Facts list={list} />
      {isKeeping && (
        <KeepDialog pageId={page.id} named={list.named} onKept={kept} onClose={() => setKeeping(false)} />
      )}
    </>
  );
}

interface BarProps {
  list: Listed;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  onKeep: () => void;
}

function HistoryBar({ list, filter, onFilter, onKeep }: BarProps) {
  return (
    <div class="history-bar">
      {list.moments.length > 0 && (
        <Choice
          label={t('Which moments')}
          value={filter}
          options={[
            ['all', t('Everything')],
            ['published', t('Published')],
            ['named', t('With a name')],
          ]}
          onChoose={onFilter}
        />
      )}
      {list.days > 0 && (
        <Button icon="star" kind="quiet" onClick={onKeep}>
          {t('Keep this moment')}
        </Button>
      )}
    </div>
  );
}

function NoMoreMoments() {
  return (
    <p class="notice warn">
      {t('The operator of this server has turned history off. No more moments are kept.')}
    </p>
  );
}

function NoMoments({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <Empty title={t('No such moments')} icon="star">
      {t('Keep a moment under a name before you try something. It stays until you delete it.')}
    </Empty>
  ) : (
    <Empty title={t('Nothing has changed yet')} icon="history">
      {t(
        'When the page, its functions or its data change, a moment appears here within a minute, and you can go back to it. Before you try something, keep one yourself.',
      )}
    </Empty>
  );
}

function TurnedOff({ page }: { page: PageDetail }) {
  return (
    <Empty
      title={t('History is turned off')}
      icon="history"
      action={
        <Link class="button quiet" href={toPageScreen(page.id, VERSIONS)}>
          {t('Go to the versions')}
        </Link>
      }
    >
      {t(
        'The operator of this server keeps no earlier states of data and functions (QUIRE_HISTORY_DAYS is 0). The versions of the page are kept all the same.',
      )}
    </Empty>
  );
}
