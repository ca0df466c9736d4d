/** An archive that is being read. */
export interface OpenArchive {
  stream: ReadableStream<Uint8Array>;
  /** Ends the archive with an error, so that its reader never takes it for complete. */
  breakOff(why: Error): Promise<void>;
}

/**
 * An archive as a stream, made while it is read. `onEnd` is called once, when everything that was opened for it is
 * closed again: with the error, or with nothing if it was read to its end.
 */
export function openArchive(
  bytes: AsyncGenerator<Uint8Array>,
  onEnd: (failure: unknown) => void,
): OpenArchive {
  let ended: Promise<void> | undefined;
  const end = (failure?: unknown) => {
    ended ??= bytes
      .return(undefined)
      .then(() => onEnd(failure))
      .catch((error: unknown) => onEnd(failure ?? error));
    return ended;
  };
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
      },
      async pull(to) {
        try {
          const { done, value } = await bytes.next();
          if (ended) return;
          if (!done) return to.enqueue(value);
          await end();
          to.close();
        } catch (error) {
          await end(error);
          throw error;
        }
      },
      cancel: (reason) => end(reason ?? new Error('its reader left')),
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    async breakOff(why) {
      if (!ended) controller?.error(why);
      await end(why);
    },
  };
}
