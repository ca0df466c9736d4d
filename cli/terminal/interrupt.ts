const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work with a signal that Ctrl-C aborts, so it can clean up before it ends. */
export async function onInterrupt<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  for (const name of SIGNALS) process.once(name, stop);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, stop);
  }
}
