const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does work that Ctrl-C and the like ask to end by itself, leaving nothing behind. */
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
