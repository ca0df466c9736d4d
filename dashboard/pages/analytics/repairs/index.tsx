import { isShownByNotice } from '../../../api.ts';
import { Link } from '../../../router.tsx';
import { rich, t } from '../../../texts/index.ts';
import { Button, Skeleton } from '../../../ui/index.ts';
import { type PageDetail, toPageScreen } from '../../api.ts';
import type { PageError } from '../api.ts';
import { RepairReport } from './report.tsx';
import type { Repairs } from './state.ts';

export { type Repairs, useRepairs } from './state.ts';

/** Says whether errors of the page can be repaired, and how that is changed. */
export function RepairNote({ page, repairs }: { page: PageDetail; repairs: Repairs }) {
  const { list, error, reload } = repairs;
  if (error) return <Failed error={error} hasList={list !== undefined} retry={reload} />;
  if (!list) return <Skeleton lines={1} />;
  if (list.problem !== null) return null;
  if (!list.enabled)
    return (
      <p class="hint">
        {rich('The builder can repair errors on a copy and prove it. <a>Turn on repairs</a>', {
          a: (text) => <Link href={toPageScreen(page.id, 'settings#repairs')}>{text}</Link>,
        })}
      </p>
    );
  return (
    <p class="hint">{t('{count|1 repair left today|{count} repairs left today}', { count: list.left })}</p>
  );
}

function Failed({ error, hasList, retry }: { error: Error; hasList: boolean; retry: () => Promise<void> }) {
  const isSaidAbove = isShownByNotice(error);
  return (
    <div class="notice warn" role="alert">
      <p>
        {hasList
          ? t('How far repairs are could not be loaded.')
          : t('Whether errors can be repaired could not be loaded.')}{' '}
        {!isSaidAbove && error.message}
      </p>
      <Button kind="quiet" onClick={retry}>
        {t('Try again')}
      </Button>
    </div>
  );
}

/** The repair of one error, and the button that starts it. */
export function ErrorRepair({ error, repairs }: { error: PageError; repairs: Repairs }) {
  const { list } = repairs;
  if (!list) return null;
  const last = repairs.find(error.fingerprint);
  const isBusy = list.repairs.some(({ state }) => state === 'running');
  const canStart = list.enabled && list.problem === null && error.context !== null && list.left > 0;
  const start = () => repairs.start(error.fingerprint, 'masked');
  return (
    <>
      {last && <RepairReport repair={last} onCancel={() => repairs.cancel(last)} />}
      {canStart && !isBusy && last?.outcome !== 'repaired' && (
        <div class="actions">
          <Button kind="quiet" label={t('Repair {message}', { message: error.message })} onClick={start}>
            {t('Repair this')}
          </Button>
        </div>
      )}
      {list.enabled && error.context === null && (
        <p class="hint">{t('What led to it was not kept. It is kept when it happens again.')}</p>
      )}
    </>
  );
}
