/** One of a stream of server-sent events; without data it only moves the id on. */
export interface ServerEvent {
  id: string | undefined;
  name: string;
  data: string | undefined;
}

/** Reads server-sent events from text that comes in pieces of any size. */
export function createEventParser(onEvent: (event: ServerEvent) => void): (text: string) => void {
  let rest = '';
  let endedInReturn = false;
  let data: string[] = [];
  let name = 'message';
  let id: string | undefined;

  function readLine(line: string): void {
    if (line === '') {
      finishEvent();
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') name = value;
    // Such an id could not be sent back in a header.
    if (field === 'id' && !value.includes('\0')) id = value;
  }

  function finishEvent(): void {
    const event = { id, name, data: data.length > 0 ? data.join('\n') : undefined };
    if (id !== undefined || event.data !== undefined || name !== 'message') onEvent(event);
    data = [];
    name = 'message';
    id = undefined;
  }

  return (text) => {
    // A line may end in \r\n, and the two may come apart.
    const piece = endedInReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text === '') return;
    endedInReturn = text.endsWith('\r');
    const lines = (rest + piece).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) readLine(line);
  };
}
