import { MAX_NAMED_MOMENTS } from '../../../contract/rules/limits.ts';
import { t } from '../../texts/index.ts';
import { formatBytes, formatMoment } from '../../ui/index.ts';
import type { MomentList } from './api.ts';

/** How far back history goes, and what it takes. */
export function Facts({ list: { oldest, days, named, storage } }: { list: MomentList }) {
  return (
    <footer class="history-facts">
      <dl>
        {oldest && (
          <div>
            <dt>{t('Oldest moment')}</dt>
            <dd>{formatMoment(oldest)}</dd>
          </div>
        )}
        {days > 0 && (
          <div>
            <dt>{t('Kept for')}</dt>
            <dd>{t('{count|1 day|{count} days}', { count: days })}</dd>
          </div>
        )}
        <div>
          <dt>{t('With a name')}</dt>
          <dd>{t('{done} of {total}', { done: named, total: MAX_NAMED_MOMENTS })}</dd>
        </div>
        {storage && (
          <div>
            <dt>{t('History of all your pages')}</dt>
            <dd>
              {storage.quota === null
                ? formatBytes(storage.bytes)
                : t('{used} of {quota}', {
                    used: formatBytes(storage.bytes),
                    quota: formatBytes(storage.quota),
                  })}
              {storage.quota !== null && (
                <meter
                  min={0}
                  max={1}
                  high={0.9}
                  value={Math.min(1, storage.bytes / Math.max(1, storage.quota))}
                  aria-label={t('Storage used by history')}
                />
              )}
            </dd>
          </div>
        )}
      </dl>
      <p class="hint">
        {days > 0 &&
          t(
            'For the last day, there is a moment for every minute in which something changed. For the last week, there is one for each hour, and before that, one for each day. Moments with a name stay until you delete them. When the storage is full, some are removed: first those that are close together, then the oldest, and those with a name last.',
          )}{' '}
        <a href="/docs/history">{t('How history works')}</a>
      </p>
    </footer>
  );
}
