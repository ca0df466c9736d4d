/** What only the visitor can do something about. */
export type Question = { kind: 'login' } | { kind: 'consent'; url: string };

/** Where the visitor is asked. */
export interface Dialog {
  /** Shows the question; one that was shown already has been answered by a refusal once more. */
  ask(question: Question): void;
  showTrying(): void;
  close(): void;
}

export interface Answers {
  retry(): void;
  cancel(): void;
}

export interface Permission {
  /**
   * Does the work; when it is refused for want of a login or of consent, asks the visitor and does it again. Rejects
   * with the refusal when the visitor does not want to.
   */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** From the first refusal until nobody waits any more. Calls that are refused meanwhile share the dialog. */
interface Round {
  dialog: Dialog;
  callCount: number;
  waiting: Set<{ retry(): void; cancel(): void }>;
  isCancelled: boolean;
}

export function createPermission(openDialog: (answers: Answers) => Dialog): Permission {
  let current: Round | undefined;

  function join(): Round {
    const round = current ?? begin();
    round.callCount++;
    return round;
  }

  function begin(): Round {
    const waiting: Round['waiting'] = new Set();
    const dialog = openDialog({
      retry() {
        if (waiting.size === 0) return;
        dialog.showTrying();
        for (const each of waiting) each.retry();
        waiting.clear();
      },
      cancel() {
        round.isCancelled = true;
        end(round);
        for (const each of waiting) each.cancel();
        waiting.clear();
      },
    });
    const round: Round = { dialog, callCount: 0, waiting, isCancelled: false };
    current = round;
    return round;
  }

  function leave(round: Round): void {
    if (--round.callCount === 0) end(round);
  }

  function end(round: Round): void {
    if (current !== round) return;
    current = undefined;
    round.dialog.close();
  }

  return {
    async run(work, signal) {
      let round: Round | undefined;
      try {
        for (;;) {
          try {
            return await work();
          } catch (error) {
            const question = questionOf(error as Quire.Failure);
            // A try that was on its way when the visitor cancelled does not ask once more.
            if (!question || round?.isCancelled) throw error;
            signal?.throwIfAborted();
            round ??= join();
            round.dialog.ask(question);
            await answered(round, error, signal);
          }
        }
      } finally {
        if (round) leave(round);
      }
    },
  };
}

function answered({ waiting }: Round, refusal: unknown, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      waiting.delete(waiter);
      reject(signal?.reason);
    };
    const settle = (action: () => void) => () => {
      signal?.removeEventListener('abort', stop);
      action();
    };
    const waiter = { retry: settle(resolve), cancel: settle(() => reject(refusal)) };
    waiting.add(waiter);
    signal?.addEventListener('abort', stop);
  });
}

function questionOf({ code, consentUrl }: Quire.Failure): Question | undefined {
  if (code === 'auth_required') return { kind: 'login' };
  if (code === 'consent_required' && consentUrl) return { kind: 'consent', url: consentUrl };
  return undefined;
}
