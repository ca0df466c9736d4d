/**
 * The statements in a text, each without the space around it. Semicolons in strings, names, comments and trigger
 * bodies do not end a statement. Invalid SQL is passed on: SQLite rejects it.
 */
export function* statements(sql: string): Generator<string> {
  for (const { text } of placedStatements(sql)) yield text;
}

/** The statements in a text, each with where it begins. */
export function* placedStatements(sql: string): Generator<{ text: string; at: number }> {
  let start: number | undefined;
  let end = 0;
  /** The statement's first words, which identify a trigger. */
  let words: string[] = [];
  let depth = 0;
  for (const { text, at } of tokens(sql)) {
    if (text === ';' && depth === 0) {
      if (start !== undefined) yield { text: sql.slice(start, end), at: start };
      start = undefined;
      words = [];
      continue;
    }
    start ??= at;
    end = at + text.length;
    if (words.length === 3 && !isTrigger(words)) continue;
    const word = text.toUpperCase();
    if (words.length < 3) words.push(word);
    if (!isTrigger(words)) continue;
    if (word === 'BEGIN' || word === 'CASE') depth++;
    else if (word === 'END' && depth > 0) depth--;
  }
  if (start !== undefined) yield { text: sql.slice(start, end), at: start };
}

function isTrigger(words: string[]): boolean {
  return words[0] === 'CREATE' && words.includes('TRIGGER');
}

/** The one statement in a text; empty if there is none, undefined if there are more. */
export function onlyStatement(sql: string): string | undefined {
  const found = statements(sql);
  const { value: first = '' } = found.next();
  return found.next().done ? first : undefined;
}

/** First words of statements that only read, unless they contain a word of `CHANGING`. */
const READING = new Set(['SELECT', 'VALUES', 'WITH']);
/** Words that change something. All are reserved, so outside quotes they are never a name in a reading statement. */
const CHANGING = new Set(['INSERT', 'INTO', 'UPDATE', 'DELETE', 'CREATE', 'DROP', 'ALTER']);

/**
 * True if a text is one statement that can change nothing. False for what it does not know: PRAGMA, EXPLAIN and
 * named parameters.
 */
export function isReading(sql: string): boolean {
  const statement = onlyStatement(sql);
  if (!statement) return false;
  let isFirst = true;
  for (const { text } of tokens(statement)) {
    const word = text.toUpperCase();
    if (isFirst && !READING.has(word)) return false;
    if (CHANGING.has(word) || /^[$@:#]/.test(text) || isPragmaTable(word)) return false;
    isFirst = false;
  }
  return true;
}

/** Tables of pragmas that only describe tables. Others change something even as tables, such as `pragma_optimize`. */
const DESCRIBING = /^PRAGMA_(TABLE_X?INFO|TABLE_LIST|INDEX_X?INFO|INDEX_LIST|FOREIGN_KEY_LIST)$/;

/** Whether a word, in quotes or not, may be a table that runs a pragma. */
function isPragmaTable(word: string): boolean {
  const name = CLOSING[word.charAt(0)] ? word.slice(1, -1) : word;
  return name.startsWith('PRAGMA_') && !DESCRIBING.test(name);
}

/** A literal at least this long is worth a parameter. */
const LONG_LITERAL = 256;

/**
 * Puts a parameter in place of each long literal: a statement may have 100 KB, but its values may be larger. Hex digits
 * become bytes, quoted text becomes text.
 */
export function withLongLiterals(statement: string): { sql: string; params: Array<string | Uint8Array> } {
  const params: Array<string | Uint8Array> = [];
  let sql = '';
  let from = 0;
  let previous = { text: '', end: -1 };
  for (const { text, at } of tokens(statement)) {
    const isBytes = /^x$/i.test(previous.text) && previous.end === at;
    if (text.startsWith("'") && text.endsWith("'") && text.length >= LONG_LITERAL) {
      const content = text.slice(1, -1);
      const bytes = isBytes ? toBytes(content) : undefined;
      if (!isBytes || bytes) {
        params.push(bytes ?? content.replaceAll("''", "'"));
        sql += `${statement.slice(from, isBytes ? at - 1 : at)}?${params.length}`;
        from = at + text.length;
      }
    }
    previous = { text, end: at + text.length };
  }
  return { sql: sql + statement.slice(from), params };
}

function toBytes(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0 || /[^0-9a-f]/i.test(hex)) return undefined;
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/**
 * The engine takes every number for a REAL, so that 5 in a TEXT column would be '5.0'. Where a parameter is a whole
 * number, its placeholder is made an INTEGER: `(?1 | 0)`, which unlike CAST leaves comparisons as they are.
 */
export function withIntegers(statement: string, params: readonly unknown[]): string {
  if (!params.some(isWhole)) return statement;
  let rewritten = '';
  let from = 0;
  let next = 1;
  for (const { text, at } of tokens(statement)) {
    if (!text.startsWith('?')) continue;
    const number = text === '?' ? next : Number(text.slice(1));
    next = Math.max(next, number + 1);
    const placeholder = isWhole(params[number - 1]) ? `(?${number} | 0)` : `?${number}`;
    rewritten += statement.slice(from, at) + placeholder;
    from = at + text.length;
  }
  return rewritten + statement.slice(from);
}

/** Whether `withIntegers` makes a parameter an INTEGER. */
export function isWhole(param: unknown): boolean {
  return typeof param === 'boolean' || Number.isSafeInteger(param);
}

/**
 * White space and comments, or else: a word, a placeholder, or a single character. To SQLite `$a(')` is a placeholder,
 * quote and all.
 */
const TOKEN =
  /(\s+|--[^\n]*)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\?\d*|[$@:#](?:[\w$\u0080-\uffff]|::)+(?:\([^\s)]*\)?)?|[\s\S]/y;
const CLOSING: Record<string, string> = { "'": "'", '"': '"', '`': '`', '[': ']' };

/** Everything but white space and comments: words, quoted texts, placeholders, and single characters. */
function* tokens(sql: string): Generator<{ text: string; at: number }> {
  for (let at = 0; at < sql.length; ) {
    const first = sql.charAt(at);
    const closing = CLOSING[first];
    if (closing) {
      const end = endOfQuoted(sql, at + 1, closing);
      yield { text: sql.slice(at, end), at };
      at = end;
      continue;
    }
    if (first === '/' && sql[at + 1] === '*') {
      const end = sql.indexOf('*/', at + 2);
      at = end < 0 ? sql.length : end + 2;
      continue;
    }
    TOKEN.lastIndex = at;
    const [text = first, space] = TOKEN.exec(sql) ?? [];
    if (space === undefined) yield { text, at };
    at += text.length;
  }
}

/** Where a quoted text ends. Regular expressions fail on megabytes. A quote can be doubled, a bracket cannot. */
function endOfQuoted(sql: string, from: number, closing: string): number {
  for (let at = from; ; at += 2) {
    at = sql.indexOf(closing, at);
    if (at < 0) return sql.length;
    if (closing === ']' || sql[at + 1] !== closing) return at + 1;
  }
}
