import { useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import {
  Button,
  ConfirmDialog,
  Empty,
  formatNumber,
  Pager,
  Section,
  Select,
  Show,
  say,
  useLoad,
  useRefresh,
} from '../../ui/index.ts';
import { deleteFailedJobs, type JobList, listJobs, retryJobs } from '../api.ts';
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
  const [isDeleting, setIsDeleting] = useState(false);
  const loaded = useLoad(
    (signal) => listJobs(slug, { state, limit: LIMIT, offset }, signal),
    [slug, state, offset],
  );
  useRefresh(loaded.reload, REFRESH_MS);
  const choose = (next: State) => {
    setOffset(0);
    setState(next);
  };
  const retryAll = async () => {
    const { count } = await retryJobs(slug);
    say(t('{count|1 job is|{count} jobs are} tried again.', { count }));
    await loaded.reload();
  };
  const deleteAll = async () => {
    const { count } = await deleteFailedJobs(slug);
    setIsDeleting(false);
    say(t('{count|Deleted 1 job.|Deleted {count} jobs.}', { count }));
    await loaded.reload();
  };
  const hasFailed = state === 'failed' && (loaded.value?.failed ?? 0) > 0;
  return (
    <Section
      title={t('Jobs')}
      hint={rich(
        'Messages that your code sends with <code>env.QUEUE.send(message)</code>, for its <code>queue(batch, env, ctx)</code>.',
        { code: (text) => <code>{text}</code> },
      )}
      actions={
        hasFailed && (
          <>
            <Button onClick={retryAll}>{t('Try all again')}</Button>
            <Button kind="quiet" onClick={() => setIsDeleting(true)}>
              {t('Delete all')}
            </Button>
          </>
        )
      }
    >
      <Show loaded={loaded}>
        {(list) => (
          <>
            <div class="fn-jobs-head">
              <Counts {...list} />
              <Select
                label={t('Which jobs')}
                hideLabel
                value={state}
                options={[
                  ['failed', t('Failed')],
                  ['waiting', t('Waiting and running')],
                ]}
                onChange={(chosen) => choose(chosen as State)}
              />
            </div>
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
      {isDeleting && (
        <ConfirmDialog
          title={t('Delete all failed jobs?')}
          action={t('Delete all')}
          onConfirm={deleteAll}
          onClose={() => setIsDeleting(false)}
        >
          <p>{t('Their messages are lost.')}</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function Counts({ waiting, running, failed }: JobList) {
  const counts = [
    [t('Waiting'), waiting],
    [t('Running'), running],
    [t('Failed'), failed],
  ] as const;
  return (
    <dl class="fn-jobs-counts">
      {counts.map(([label, count]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{formatNumber(count)}</dd>
        </div>
      ))}
    </dl>
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
