/** A backup on its way out. */
export interface Backup {
  stream: ReadableStream<Uint8Array>;
  /** Ends it so that its reader sees an error, never an end. */
  breakOff(why: Error): Promise<void>;
}

/**
 * The bytes of an archive, compressed, made as they are read. `onEnd` is called once, when everything that was opened
 * for it is closed again: with what went wrong, or with nothing when it was read to its end.
 */
export function openBackup(bytes: AsyncGenerator<Uint8Array>, onEnd: (failure: unknown) => void): Backup {
  let ended: Promise<void> | undefined;
  const end = (failure?: unknown) => {
    ended ??= bytes
      .return(undefined)
      .then(() => undefined)
      .catch(() => undefined)
      .finally(() => onEnd(failure));
    return ended;
  };
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const plain = new ReadableStream<Uint8Array>(
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
    // The types of Bun's own streams and of the web's differ in what their bytes may be stored in.
    stream: plain.pipeThrough(new CompressionStream('gzip') as never),
    async breakOff(why) {
      if (!ended) controller?.error(why);
      await end(why);
    },
  };
}
