import type { BuilderEvent } from '../../../../contract/agents/builder.ts';
import { GrowingText } from './growing-text.ts';

/** The tool that writes a whole document, and its argument. */
const TOOL = 'save_draft';
const ARGUMENT = 'html_content';
/** A model writes a few letters at a time. They are sent together, this often, or when there are so many. */
const SEND_EVERY_MS = 120;
const SEND_LETTERS = 200;

/** Passes the document on while the model writes it. */
export class GrowingDocument {
  #id: string | undefined;
  #text = new GrowingText(ARGUMENT);
  #waiting = '';
  #isFirst = true;
  #sentAt = 0;

  begin(id: string, name: string): void {
    if (name !== TOOL) return;
    this.#id = id;
    this.#text = new GrowingText(ARGUMENT);
    this.#waiting = '';
    this.#isFirst = true;
  }

  *push(id: string, piece: string): Generator<BuilderEvent> {
    if (id !== this.#id) return;
    this.#waiting += this.#text.push(piece);
    const isDue = performance.now() - this.#sentAt >= SEND_EVERY_MS;
    if (isDue || this.#waiting.length >= SEND_LETTERS) yield* this.flush();
  }

  /** Sends what waits. */
  *flush(): Generator<BuilderEvent> {
    // The other half of a character may come with the next piece.
    const half = /[\ud800-\udbff]$/.exec(this.#waiting)?.[0] ?? '';
    const content = this.#waiting.slice(0, this.#waiting.length - half.length);
    if (content === '') return;
    yield { type: 'html', content: content.toWellFormed(), isFirst: this.#isFirst };
    this.#waiting = half;
    this.#isFirst = false;
    this.#sentAt = performance.now();
  }
}
