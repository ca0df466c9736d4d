import { t } from '../../texts/index.ts';
import { Icon } from '../../ui/index.ts';
import type { ProviderResult } from '../api.ts';
import { sayFailure } from './words.ts';

/** What a test has found. */
export function Result({ result }: { result: ProviderResult }) {
  const { isWorking, reason, message, durationMs } = result;
  const kind = !isWorking ? 'bad' : reason === null ? 'good' : 'warn';
  return (
    <div class={`notice provider-result ${kind}`} role="status">
      <Icon name={kind === 'good' ? 'check' : 'warning'} />
      <p>
        <strong>{isWorking ? t('Works.') : t('Does not work.')}</strong>{' '}
        {reason === null ? message : sayFailure(reason)}{' '}
        {durationMs > 0 && <span>({t('{count} ms', { count: durationMs })})</span>}
      </p>
    </div>
  );
}

/** The test itself could not be started. */
export const toResult = (error: Error): ProviderResult => ({
  isWorking: false,
  message: error.message,
  durationMs: 0,
  reason: null,
});
