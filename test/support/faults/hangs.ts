/** How many seconds things hang in a soak. */
export const LONG_HANGS = [2, 6, 12, 40];

/** Freezes processes for a while: they neither respond nor disconnect. */
export async function hang(pids: () => number[], seconds: number): Promise<void> {
  const frozen = pids();
  if (frozen.length === 0) throw new Error('there is nothing to freeze');
  signal(frozen, 'SIGSTOP');
  await Bun.sleep(seconds * 1000);
  signal(frozen, 'SIGCONT');
}

function signal(pids: number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It may have been killed meanwhile by a process that waits for it.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
