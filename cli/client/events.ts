import { EventParser } from '../../contract/rules/event-stream.ts';

/** Yields the data of each server-sent event in a response. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const found: string[] = [];
  const parser = new EventParser(({ data }) => data !== undefined && found.push(data));
  for await (const chunk of body) {
    parser.push(decoder.decode(chunk, { stream: true }));
    for (const data of found.splice(0)) yield JSON.parse(data);
  }
}
