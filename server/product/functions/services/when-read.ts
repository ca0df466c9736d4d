/**
 * Returns a copy of a response that calls `onEnd` when its body was read or its reader has left. A body that is not read
 * to its end in time ends with an error. `onEnd` can be called more than once.
 */
export function whenRead(
  response: Response,
  { onEnd, withinMs }: { onEnd(): void; withinMs: number },
): Response {
  const { body, status, headers } = response;
  if (!body) {
    onEnd();
    return response;
  }
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(timer);
    onEnd();
  };
  const followed = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setTimeout(() => {
        reader.cancel().catch(() => undefined);
        controller.error(new Error('nobody has read this'));
        end();
      }, withinMs);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => undefined);
      end();
    },
  });
  return new Response(followed, { status, headers });
}
