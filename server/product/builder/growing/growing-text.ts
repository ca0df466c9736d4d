/**
 * Reads one text of a JSON object while the object is still being written, piece by piece. Models write the arguments of
 * a call in this form, and a document among them can be shown before it is complete.
 */
export class GrowingText {
  readonly #field: string;
  #mode: 'before' | 'key' | 'after key' | 'value' | 'wanted' | 'skipped text' | 'over' = 'before';
  /** How many brackets are open. The fields of the object itself are at 1. */
  #depth = 0;
  #key = '';
  /** A part of an escape sequence whose rest has not arrived. */
  #escape = '';

  constructor(field: string) {
    this.#field = field;
  }

  /** Takes the next piece of JSON. Returns what it adds to the text. */
  push(piece: string): string {
    let added = '';
    for (const letter of piece) added += this.#take(letter);
    return added;
  }

  #take(letter: string): string {
    switch (this.#mode) {
      case 'before':
        if (letter === '{') this.#enter();
        else if (letter === '"' && this.#depth === 1) this.#beginKey();
        else if (letter === '}') this.#mode = 'over';
        return '';
      case 'key':
        if (letter === '"' && this.#escape === '') this.#mode = 'after key';
        else this.#key += this.#unescape(letter);
        return '';
      case 'after key':
        if (letter === ':') this.#mode = 'value';
        return '';
      case 'value':
        return this.#takeValue(letter);
      case 'skipped text':
        if (letter === '"' && this.#escape === '') this.#mode = 'value';
        else this.#unescape(letter);
        return '';
      case 'wanted':
        if (letter !== '"' || this.#escape !== '') return this.#unescape(letter);
        this.#mode = 'over';
        return '';
      default:
        return '';
    }
  }

  #takeValue(letter: string): string {
    if (letter === '"')
      this.#mode = this.#depth === 1 && this.#key === this.#field ? 'wanted' : 'skipped text';
    else if (letter === '{' || letter === '[') this.#depth++;
    else if (letter === '}' || letter === ']') this.#depth--;
    else if (letter === ',' && this.#depth === 1) this.#mode = 'before';
    if (this.#depth === 0) this.#mode = 'over';
    return '';
  }

  #enter(): void {
    if (this.#depth === 0) this.#depth = 1;
    else this.#mode = 'over';
  }

  #beginKey(): void {
    this.#key = '';
    this.#mode = 'key';
  }

  /** The letter, or what an escape sequence that is complete with it stands for. */
  #unescape(letter: string): string {
    if (this.#escape === '') {
      if (letter !== '\\') return letter;
      this.#escape = letter;
      return '';
    }
    this.#escape += letter;
    if (this.#escape.startsWith('\\u') && this.#escape.length < 6) return '';
    const sequence = this.#escape;
    this.#escape = '';
    return sequence.startsWith('\\u') ? readCode(sequence) : (SHORT[letter] ?? letter);
  }
}

const SHORT: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

const readCode = (sequence: string) =>
  /^\\u[0-9a-f]{4}$/i.test(sequence) ? String.fromCharCode(Number.parseInt(sequence.slice(2), 16)) : '';
