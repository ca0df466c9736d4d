import { phrase, type Sentence, type Text } from '../texts/fill.ts';

/** One JSON token, with the space before it. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain them
  /[ \t\r\n]*("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y;

/** How deep values may be nested. The search calls itself for each level. */
export const MAX_JSON_DEPTH = 1_000;

const END = phrase('the end of the text');

interface JsonFault {
  text: Sentence;
  offset: number;
}

/** The error in a text that is not JSON, with its offset. JSON.parse reports neither reliably. */
export function findJsonFault(text: string): JsonFault | undefined {
  return new JsonReader(text).findFault();
}

class JsonReader {
  /** Where the next token is looked for. */
  private at = 0;
  /** The current token and where it starts. Empty if there is none. */
  private token = '';
  private start = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  findFault(): JsonFault | undefined {
    this.next();
    const wrong = this.value();
    if (wrong) return wrong;
    return /[^ \t\r\n]/.test(this.text.slice(this.start)) ? this.fault(END) : undefined;
  }

  private next(): void {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    this.token = found?.[1] ?? '';
    this.start = found ? TOKEN.lastIndex - this.token.length : this.at + this.spaceAt(this.at);
    this.at = found ? TOKEN.lastIndex : this.start;
  }

  private spaceAt(at: number): number {
    return /^[ \t\r\n]*/.exec(this.text.slice(at))?.[0].length ?? 0;
  }

  private fault(expected: string | Text): JsonFault {
    const { text, token, start } = this;
    return {
      text: phrase('expected {expected}, found {found}', {
        expected,
        found: start >= text.length ? END : token || (text[start] ?? ''),
      }),
      offset: Math.min(start, Math.max(0, text.length - 1)),
    };
  }

  private value(): JsonFault | undefined {
    if (this.token === '{') return this.list('}', () => this.field());
    if (this.token === '[') return this.list(']', () => this.value());
    if (this.token === '' || /^[}\],:]$/.test(this.token)) return this.fault(phrase('a value'));
    this.next();
    return undefined;
  }

  private field(): JsonFault | undefined {
    if (!this.token.startsWith('"')) return this.fault(phrase('a name in double quotes'));
    this.next();
    if (this.token !== ':') return this.fault(':');
    this.next();
    return this.value();
  }

  private list(close: string, item: () => JsonFault | undefined): JsonFault | undefined {
    if (++this.depth > MAX_JSON_DEPTH)
      return this.fault(phrase('at most {max} levels', { max: String(MAX_JSON_DEPTH) }));
    this.next();
    let isEnd = this.token === close;
    while (!isEnd) {
      const wrong = item();
      if (wrong) return wrong;
      isEnd = this.token === close;
      if (isEnd) break;
      if (this.token !== ',') return this.fault(phrase(', or {end}', { end: close }));
      this.next();
    }
    this.depth--;
    this.next();
    return undefined;
  }
}
