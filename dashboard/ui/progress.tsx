import { useId } from 'preact/hooks';
import { formatNumber } from './format.ts';

interface ProgressProps {
  label: string;
  done?: number;
  /** Left out while nobody knows. */
  total?: number;
  /** How far it is, in words; `12 of 40` unless told. */
  note?: string;
}

/** How far long work has come. */
export function Progress({ label, done = 0, total, note }: ProgressProps) {
  const id = useId();
  const isKnown = total !== undefined;
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <span class="faint number">
        {note ?? (isKnown && `${formatNumber(done)} of ${formatNumber(total)}`)}
      </span>
      <progress aria-labelledby={id} {...(isKnown && { value: done, max: Math.max(1, total) })} />
    </div>
  );
}
