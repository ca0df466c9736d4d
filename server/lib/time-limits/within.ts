/** Waits for work with a time limit, then throws the error from `late`. The work itself continues. */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(late()), milliseconds);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
