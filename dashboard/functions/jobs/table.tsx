import { t } from '../../texts/index.ts';
import { Badge, Button, type Column, formatMoment, Table } from '../../ui/index.ts';
import type { Job } from '../api.ts';

interface Props {
  jobs: Job[];
  onShow: (id: number) => void;
}

export function JobTable({ jobs, onShow }: Props) {
  return (
    <div class="fn-jobs stacks">
      <Table caption={t('Jobs')} rows={jobs} getKey={({ id }) => id} columns={columns(onShow)} />
    </div>
  );
}

const columns = (onShow: (id: number) => void): Array<Column<Job>> => [
  {
    title: t('Message'),
    cell: ({ preview, key, error }) => (
      <>
        <code class="fn-jobs-message">{preview}</code>
        {key !== null && <p class="hint">{t('Key: {key}', { key })}</p>}
        {error && <p class="fault">{error}</p>}
      </>
    ),
  },
  { title: t('Tries'), cell: ({ tries }) => <>{tries}</>, isNumber: true },
  { title: t('When'), cell: When },
  {
    title: t('Actions'),
    isActions: true,
    cell: ({ id }) => (
      <Button kind="bare" label={t('Show job {id}', { id })} onClick={() => onShow(id)}>
        {t('Show')}
      </Button>
    ),
  },
];

function When({ state, failedAt, nextTryAt, sentAt }: Job) {
  if (state === 'running') return <Badge>{t('Running')}</Badge>;
  return (
    <>
      {failedAt !== null
        ? t('Failed {moment}', { moment: formatMoment(failedAt) })
        : nextTryAt !== null && t('Next try {moment}', { moment: formatMoment(nextTryAt) })}
      <p class="hint">{t('Sent {moment}', { moment: formatMoment(sentAt) })}</p>
    </>
  );
}
