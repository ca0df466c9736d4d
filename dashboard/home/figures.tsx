import type { ComponentChildren } from 'preact';
import type { Home } from '../../contract/accounts/home/home.ts';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import { formatBytes, formatCredits, formatNumber } from '../ui/index.ts';

/** The last day in numbers, and what is left. */
export function Figures({ home }: { home: Home }) {
  const { lastDay, storage } = home;
  const errors = lastDay.pageErrors + lastDay.functionErrors;
  return (
    <dl class="home-figures" aria-label={t('The last 24 hours')}>
      <Figure label={t('Views')} note={t('last 24 hours')}>
        {formatNumber(lastDay.views)}
      </Figure>
      <Figure label={t('Function calls')} note={t('last 24 hours')}>
        {formatNumber(lastDay.calls)}
      </Figure>
      <Figure label={t('Errors')} note={t('last 24 hours')} isBad={errors > 0}>
        {formatNumber(errors)}
      </Figure>
      <Figure label={t('Credits')} note={t('for chat and images')}>
        {me.value ? formatCredits(me.value.credits) : '–'}
      </Figure>
      <Figure label={t('Storage')} note={<StorageNote storage={storage} />}>
        {formatBytes(storage.bytes)}
      </Figure>
    </dl>
  );
}

function Figure({
  label,
  note,
  isBad,
  children,
}: {
  label: string;
  note: ComponentChildren;
  isBad?: boolean;
  children: ComponentChildren;
}) {
  return (
    <div class={isBad ? 'home-figure bad' : 'home-figure'}>
      <dt>{label}</dt>
      <dd>
        <strong>{children}</strong>
        <span class="hint">{note}</span>
      </dd>
    </div>
  );
}

function StorageNote({ storage: { bytes, quota } }: { storage: Home['storage'] }) {
  if (quota === null) return <>{t('no limit')}</>;
  const share = Math.min(1, bytes / quota);
  return (
    <>
      {t('of {quota}', { quota: formatBytes(quota) })}
      <meter class="home-meter" min={0} max={1} high={0.9} value={share} aria-label={t('Storage used')} />
    </>
  );
}
