import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Choice, Empty, formatNumber, Pager, Section, Show, useLoad, useRefresh } from '../../ui/index.ts';
import { type JobList, listJobs } from '../api.ts';
import { FailedActions } from './failed-actions.tsx';
import { JobDialog } from './job.tsx';
import { JobTable } from './table.tsx';

const LIMIT = 50;
const REFRESH_MS = 5_000;

type State = 'waiting' | 'failed';

/** The messages that a function has sent to itself: how many wait, and those that have failed. */
export function JobsPart({ slug }: { slug: string }) {
  const [state, setState] = useState<State>('failed');
  const [offset, setOffset] = useState(0);
  const [shown, setShown] = useState<number>();
  const loaded = useLoad(
    (signal) => listJobs(slug, { state, limit: LIMIT, offset }, signal),
    [slug, state, offset],
  );
  useRefresh(loaded.refresh, REFRESH_MS);
  const choose = (next: State) => {
    setOffset(0);
    setState(next);
  };
  const hasFailed = state === 'failed' && (loaded.value?.failed ?? 0) > 0;
  return (
    <Section
      title={t('Jobs')}
      hint={rich(
        'Messages that your code sends with <code>env.QUEUE.send(message)</code>, for its <code>queue(batch, env, ctx)</code>.',
        { code: (text) => <code>{text}</code> },
      )}
      actions={hasFailed && <FailedActions slug={slug} onChange={loaded.reload} />}
    >
      <Show loaded={loaded}>
        {(list) => (
          <>
            <Which state={state} list={list} onChange={choose} />
            {list.jobs.length === 0 && offset === 0 ? (
              <NoJobs state={state} />
            ) : (
              <>
                <JobTable jobs={list.jobs} onShow={setShown} />
                <Pager
                  offset={offset}
                  limit={LIMIT}
                  shown={list.jobs.length}
                  total={state === 'failed' ? list.failed : list.waiting + list.running}
                  onMove={setOffset}
                />
              </>
            )}
          </>
        )}
      </Show>
      {shown !== undefined && (
        <JobDialog slug={slug} id={shown} onClose={() => setShown(undefined)} onChange={loaded.reload} />
      )}
    </Section>
  );
}

interface WhichProps {
  state: State;
  list: JobList;
  onChange: (state: State) => void;
}

/** The two lists, each with how many jobs it has. */
function Which({ state, list: { waiting, running, failed }, onChange }: WhichProps) {
  return (
    <Choice
      class="fn-jobs-which"
      label={t('Which jobs')}
      value={state}
      options={[
        ['failed', t('Failed: {count}', { count: formatNumber(failed) })],
        [
          'waiting',
          running > 0
            ? t('Waiting: {count}, running: {running}', {
                count: formatNumber(waiting),
                running: formatNumber(running),
              })
            : t('Waiting: {count}', { count: formatNumber(waiting) }),
        ],
      ]}
      onChoose={onChange}
    />
  );
}

function NoJobs({ state }: { state: State }) {
  if (state === 'waiting') return <Empty icon="clock" title={t('No jobs are waiting')} />;
  return (
    <Empty icon="check" title={t('No job has failed')}>
      {t('A job that fails is tried ten times, with longer and longer waits. Then it is listed here.')}
    </Empty>
  );
}
