export const MAX_ANSWER_BYTES = 100 * 1024 * 1024;
export const MAX_ANSWER_MS = 5 * 60_000;

/**
 * Passes a body on until it ends, or cuts it off at the limits. The caller then sees a broken body, not a hang and not
 * an end that looks complete. `onEnd` is called once with the result.
 */
export function limitBody(
  body: ReadableStream<Uint8Array>,
  onEnd: (error?: string) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  let isOver = false;
  const finish = (error?: string) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(deadline);
    onEnd(error);
  };
  let breakOff: (reason: string) => void = () => undefined;
  const deadline = setTimeout(() => breakOff('streamed for more than 5 minutes'), MAX_ANSWER_MS);

  return new ReadableStream<Uint8Array>({
    start(controller) {
      breakOff = (reason) => {
        finish(reason);
        // Give no reason: Bun would print it to the log, as often as an owner's code likes.
        controller.error();
        void reader.cancel().catch(() => undefined);
      };
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) {
          finish();
          controller.close();
          return;
        }
        size += value.byteLength;
        if (size > MAX_ANSWER_BYTES) breakOff('streamed more than 100 MB');
        else controller.enqueue(value);
      } catch {
        if (!isOver) breakOff('ended its response early');
      }
    },
    async cancel() {
      finish('the caller left');
      await reader.cancel().catch(() => undefined);
    },
  });
}
