import { t } from '../../texts/index.ts';
import { Button, Dialog, formatBytes, Show, say, useLoad } from '../../ui/index.ts';
import { deleteJob, type JobDetail, readJob, retryJobs } from '../api.ts';

interface Props {
  slug: string;
  id: number;
  onClose: () => void;
  onChange: () => Promise<void>;
}

/** One job with its whole message. */
export function JobDialog({ slug, id, onClose, onChange }: Props) {
  const loaded = useLoad((signal) => readJob(slug, id, signal), [slug, id]);
  const end = async (text: string) => {
    say(text);
    onClose();
    await onChange();
  };
  const retry = async () => {
    await retryJobs(slug, id);
    await end(t('The job is tried again.'));
  };
  const remove = async () => {
    await deleteJob(slug, id);
    await end(t('Deleted the job.'));
  };
  return (
    <Dialog title={t('Job {id}', { id })} onClose={onClose} wide>
      <Show loaded={loaded}>
        {(job) => (
          <>
            <p class="hint">
              {t('{size}, tried {count|once|{count} times}', {
                size: formatBytes(job.bytes),
                count: job.tries,
              })}
            </p>
            {job.error && <p class="fault">{job.error}</p>}
            <pre class="fn-run">{format(job)}</pre>
            {job.state !== 'running' && (
              <div class="actions">
                {job.state === 'failed' && <Button onClick={retry}>{t('Try again')}</Button>}
                <Button kind="danger" onClick={remove}>
                  {t('Delete')}
                </Button>
              </div>
            )}
          </>
        )}
      </Show>
    </Dialog>
  );
}

const format = ({ body }: JobDetail) => JSON.stringify(JSON.parse(body), null, 2);
