/** A time limit; call `end` with it when the awaited event has happened. */
interface Deadline {
  at: number;
  onLate(): void;
}

/** Many deadlines of the same length. */
interface Deadlines {
  begin(onLate: () => void): Deadline;
  end(deadline: Deadline): void;
}

/** One timer serves all deadlines: they have the same length, so the first to begin is the first to expire. */
export function createDeadlines(lengthMs: number, now: () => number = () => performance.now()): Deadlines {
  const running = new Set<Deadline>();
  let isArmed = false;

  function arm(waitMs: number): void {
    isArmed = true;
    setTimeout(check, waitMs).unref();
  }

  function check(): void {
    isArmed = false;
    for (const deadline of running) {
      const waitMs = deadline.at - now();
      if (waitMs > 0) {
        arm(waitMs);
        return;
      }
      running.delete(deadline);
      deadline.onLate();
    }
  }

  return {
    begin(onLate) {
      const deadline = { at: now() + lengthMs, onLate };
      running.add(deadline);
      if (!isArmed) arm(lengthMs);
      return deadline;
    },
    end(deadline) {
      running.delete(deadline);
    },
  };
}
