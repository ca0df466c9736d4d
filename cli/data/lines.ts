/** The lines of a stream of bytes. Not readline: it also ends lines at U+2028, which may stand in a JSON string. */
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
