import { signal } from '@preact/signals';
import { t } from '../../texts/index.ts';
import { Icon } from '../icons.tsx';

/** Short messages at the edge of the screen that report the result of an action. */

type Kind = 'good' | 'bad';
interface Toast {
  id: number;
  text: string;
  kind: Kind;
}

const SHOWN_MS = { good: 4_000, bad: 10_000 };

const toasts = signal<Toast[]>([]);
let lastId = 0;

export function say(text: string, kind: Kind = 'good'): void {
  const toast = { id: ++lastId, text, kind };
  toasts.value = [...toasts.value, toast];
  setTimeout(() => dismiss(toast.id), SHOWN_MS[kind]);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, kind }) => (
        <div key={id} class={`toast ${kind}`}>
          <Icon name={kind === 'good' ? 'check' : 'warning'} />
          <span>{text}</span>
          <button type="button" aria-label={t('Dismiss')} onClick={() => dismiss(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
