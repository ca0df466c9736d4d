const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Lets Ctrl-C and the like end the work so that nothing is left behind. */
export async function untilLeft<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  for (const name of SIGNALS) process.once(name, leave);
  try {
    return await work(leaving.signal);
  } finally {
    for (const name of SIGNALS) process.off(name, leave);
  }
}
