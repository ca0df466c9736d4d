/** What the visitor must do before a call can continue. */
export type Question = { kind: 'login' } | { kind: 'consent'; url: string };

/** The dialog that asks the visitor. */
export interface Dialog {
  /** Shows the question. If it is already shown, the last attempt was refused again. */
  ask(question: Question): void;
  showTrying(): void;
  close(): void;
}

export interface Answers {
  retry(): void;
  cancel(): void;
}

/** A dialog and the calls that share it: those that are refused while it is open. */
interface Round {
  dialog: Dialog;
  callCount: number;
  waiting: Set<Answers>;
  isCancelled: boolean;
}

/** Asks the visitor to log in or to consent when a call needs it. */
export class Permission {
  private round: Round | undefined;

  constructor(private readonly openDialog: (answers: Answers) => Dialog) {}

  /**
   * Runs the work. If it fails because a login or consent is missing, asks the visitor and runs it again. Rejects with
   * the error of the work if the visitor declines.
   */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    let round: Round | undefined;
    try {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const question = toQuestion(error as Quire.Failure);
          // An attempt that was running when the visitor cancelled does not ask again.
          if (!question || round?.isCancelled) throw error;
          signal?.throwIfAborted();
          round ??= this.join();
          round.dialog.ask(question);
          await answered(round, error, signal);
        }
      }
    } finally {
      if (round && --round.callCount === 0) this.end(round);
    }
  }

  private join(): Round {
    this.round ??= this.begin();
    this.round.callCount++;
    return this.round;
  }

  private begin(): Round {
    const waiting: Round['waiting'] = new Set();
    const dialog = this.openDialog({
      retry() {
        if (waiting.size === 0) return;
        dialog.showTrying();
        for (const each of waiting) each.retry();
        waiting.clear();
      },
      cancel: () => {
        round.isCancelled = true;
        this.end(round);
        for (const each of waiting) each.cancel();
        waiting.clear();
      },
    });
    const round: Round = { dialog, callCount: 0, waiting, isCancelled: false };
    return round;
  }

  private end(round: Round): void {
    if (this.round !== round) return;
    this.round = undefined;
    round.dialog.close();
  }
}

/** Resolves when the visitor tries again, rejects when they cancel. */
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

function toQuestion({ code, consentUrl }: Quire.Failure): Question | undefined {
  if (code === 'auth_required') return { kind: 'login' };
  if (code === 'consent_required' && consentUrl) return { kind: 'consent', url: consentUrl };
  return undefined;
}
