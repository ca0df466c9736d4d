const PIECE_BYTES = 128 * 1024;

/**
 * A body in memory, as a stream that waits for its turn before each piece. A direct stream, because Bun writes what it
 * gets to the connection without another queue.
 */
export function streamInTurns(
  body: Uint8Array,
  waitFor: (bytes: number) => Promise<void>,
): ReadableStream<Uint8Array> {
  let isCancelled = false;
  return new ReadableStream({
    type: 'direct',
    async pull(controller) {
      for (let at = 0; at < body.length; at += PIECE_BYTES) {
        const piece = body.subarray(at, at + PIECE_BYTES);
        await waitFor(piece.length);
        if (isCancelled) return;
        controller.write(piece);
        // Waits until the client has read enough.
        await (controller.flush as (isAwaited: boolean) => number | Promise<number>).call(controller, true);
      }
      controller.close();
    },
    cancel() {
      isCancelled = true;
    },
  });
}
