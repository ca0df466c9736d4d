import { useId } from 'preact/hooks';
import { formatNumber } from './format.ts';

interface ProgressProps {
  label: string;
  done: number;
  /** Undefined while nobody knows. */
  total: number | undefined;
  /** How a number is said; `12 of 40` unless told. */
  say?: (done: number, total: number) => string;
}

/** How far long work has come. */
export function Progress({ label, done, total, say = sayNumbers }: ProgressProps) {
  const id = useId();
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <span class="faint number">{total !== undefined && say(done, total)}</span>
      <progress aria-labelledby={id} {...(total !== undefined && { value: done, max: Math.max(1, total) })} />
    </div>
  );
}

const sayNumbers = (done: number, total: number) => `${formatNumber(done)} of ${formatNumber(total)}`;
