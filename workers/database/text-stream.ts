const STREAM_CHUNK_LENGTH = 64 * 1024;

/** Sends pieces of text as they are asked for. */
export function toStream(pieces: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      let text = '';
      while (text.length < STREAM_CHUNK_LENGTH) {
        const { done, value } = pieces.next();
        if (done) {
          controller.enqueue(encoder.encode(text));
          controller.close();
          return;
        }
        text += value;
      }
      controller.enqueue(encoder.encode(text));
    },
  });
}
