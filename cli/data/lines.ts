/** The lines of a byte stream. Not readline, which also splits at U+2028, a valid character in JSON strings. */
export async function* lines(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ text: string; number: number; bytes: number }> {
  const decoder = new TextDecoder();
  let rest = '';
  let number = 0;
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const text of parts) yield { text, number: ++number, bytes };
  }
  rest += decoder.decode();
  if (rest !== '') yield { text: rest, number: ++number, bytes };
}
