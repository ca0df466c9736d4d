import { t } from '../../texts/index.ts';
import { formatChange } from '../format.ts';

export interface Figure {
  label: string;
  value: string;
  /**
   * The number now and in the time before. Without it, nothing is compared. Only a number that is bad news when it grows,
   * such as errors, has a colour: fewer visits need not be bad.
   */
  change?: { now: number; before: number; isBadUp?: boolean };
}

/** Numbers in a row, each compared with the time before. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl class="figures">
      {figures.map(({ label, value, change }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
          {change && <Change {...change} />}
        </div>
      ))}
    </dl>
  );
}

function Change({ now, before, isBadUp = false }: NonNullable<Figure['change']>) {
  if (before === 0) return now === 0 ? null : <dd class="change">{t('Up from 0')}</dd>;
  const share = now / before - 1;
  const kind = !isBadUp || now === before ? '' : now > before ? 'bad' : 'good';
  return (
    <dd class={`change ${kind}`} title={t('Compared with the previous period')}>
      {now === before ? t('No change') : formatChange(share)}
    </dd>
  );
}
