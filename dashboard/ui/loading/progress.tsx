import { useId } from 'preact/hooks';
import { t } from '../../texts/index.ts';

interface ProgressProps {
  label: string;
  done?: number;
  /** Undefined while it is unknown. */
  total?: number;
  /** The progress in words; by default `12 of 40`. */
  note?: string;
}

/** The progress of a long task. */
export function Progress({ label, done = 0, total, note }: ProgressProps) {
  const id = useId();
  const isKnown = total !== undefined;
  return (
    <div class="progress">
      <span id={id}>{label}</span>
      <span class="faint number">{note ?? (isKnown && t('{done} of {total}', { done, total }))}</span>
      <progress aria-labelledby={id} {...(isKnown && { value: done, max: Math.max(1, total) })} />
    </div>
  );
}
