/** A moment by which something must have come; `end` it when it has. */
interface Deadline {
  at: number;
  onLate(): void;
}

/** Deadlines of one length, for many at once. */
interface Deadlines {
  begin(onLate: () => void): Deadline;
  end(deadline: Deadline): void;
}

/** One timer serves them all: they are of one length, so that the first to begin is the first to be over. */
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
