import { printable } from './colours.ts';

const WIDTH = 24;
const EVERY_MS = 80;

/** A progress bar on one line. */
export interface Progress {
  /** Updates the bar with the amount done and a text. */
  at(done: number, word?: string): void;
  /** Removes the bar. */
  end(): void;
}

export function createProgress(
  label: string,
  total: number | undefined,
  stream: NodeJS.WriteStream | undefined,
): Progress {
  if (!stream) return { at: () => undefined, end: () => undefined };
  let drawnAt = 0;
  return {
    at(done, word = '') {
      const now = performance.now();
      if (now - drawnAt < EVERY_MS && done !== total) return;
      drawnAt = now;
      const line = `${label} ${total ? bar(Math.min(1, done / total)) : ''} ${word}`;
      stream.write(`\r\u001b[2K${printable(line).slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`);
    },
    end: () => void stream.write('\r\u001b[2K'),
  };
}

function bar(share: number): string {
  const full = Math.round(share * WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${String(Math.floor(share * 100)).padStart(3)}%`;
}
