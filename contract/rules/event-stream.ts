/** An event of a stream of server-sent events. An event without data only updates the last event id. */
export interface ServerEvent {
  id: string | undefined;
  name: string;
  data: string | undefined;
}

/**
 * Parses the wire format of server-sent events from pieces of text of any size. Browsers have their own parser,
 * EventSource, but it cannot send a token.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export class EventParser {
  private rest = '';
  private endedInReturn = false;
  private data: string[] = [];
  private name = 'message';
  private id: string | undefined;

  constructor(private readonly onEvent: (event: ServerEvent) => void) {}

  push(text: string): void {
    if (text === '') return;
    // A line may end with \r\n, and the two characters may arrive in different pieces.
    const piece = this.endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    this.endedInReturn = text.endsWith('\r');
    const lines = (this.rest + piece).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    for (const line of lines) this.readLine(line);
  }

  private readLine(line: string): void {
    if (line === '') {
      this.finishEvent();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    if (field === 'event') this.name = value;
    // An id with a NUL could not be sent back in a header.
    if (field === 'id' && !value.includes('\0')) this.id = value;
  }

  private finishEvent(): void {
    const { id, name } = this;
    const data = this.data.length > 0 ? this.data.join('\n') : undefined;
    this.data = [];
    this.name = 'message';
    this.id = undefined;
    // Comments and unknown fields are not events.
    if (id !== undefined || data !== undefined || name !== 'message') this.onEvent({ id, name, data });
  }
}
