/** The lines of a byte stream. Not readline, which also splits at U+2028, a valid character in JSON strings. */
export async function* lines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ text: string; number: number; bytes: number }> {
  const decoder = new TextDecoder();
  /** The parts of a line that has not ended. Joining them with each chunk would be slow for a long line. */
  let open: string[] = [];
  let number = 0;
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    const parts = decoder.decode(chunk, { stream: true }).split('\n');
    const rest = parts.pop() ?? '';
    for (const part of parts) {
      const text = open.join('') + part;
      open = [];
      yield { text, number: ++number, bytes };
    }
    open.push(rest);
  }
  const text = open.join('') + decoder.decode();
  if (text !== '') yield { text, number: ++number, bytes };
}
