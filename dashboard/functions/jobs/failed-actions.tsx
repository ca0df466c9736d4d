import { useState } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { Button, ConfirmDialog, say } from '../../ui/index.ts';
import { deleteFailedJobs, retryJobs } from '../api.ts';

interface Props {
  slug: string;
  onChange: () => Promise<void>;
}

/** What can be done with all failed jobs together. */
export function FailedActions({ slug, onChange }: Props) {
  const [isDeleting, setIsDeleting] = useState(false);
  const retryAll = async () => {
    const { count } = await retryJobs(slug);
    say(t('{count|1 job is|{count} jobs are} tried again.', { count }));
    await onChange();
  };
  const deleteAll = async () => {
    const { count } = await deleteFailedJobs(slug);
    setIsDeleting(false);
    say(t('{count|Deleted 1 job.|Deleted {count} jobs.}', { count }));
    await onChange();
  };
  return (
    <>
      <Button onClick={retryAll}>{t('Try all again')}</Button>
      <Button kind="quiet" onClick={() => setIsDeleting(true)}>
        {t('Delete all')}
      </Button>
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
    </>
  );
}
