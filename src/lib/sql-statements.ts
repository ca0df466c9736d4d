/**
 * The one statement in a text, without what stands around it; undefined when there is a second one. Semicolons in
 * strings, names, comments and trigger bodies do not end a statement. It need not understand SQL: SQLite judges the
 * statement itself.
 */
export function onlyStatement(sql: string): string | undefined {
  let start: number | undefined;
  let end = 0;
  let isEnded = false;
  /** The statement's first words, which tell a trigger. */
  const words: string[] = [];
  let depth = 0;
  for (const { text, at } of tokens(sql)) {
    if (text === ';' && depth === 0) {
      isEnded = start !== undefined;
      continue;
    }
    if (isEnded) return undefined;
    start ??= at;
    end = at + text.length;
    const word = text.toUpperCase();
    if (words.length < 3) words.push(word);
    if (words[0] !== 'CREATE' || !words.slice(1).includes('TRIGGER')) continue;
    if (word === 'BEGIN' || word === 'CASE') depth++;
    else if (word === 'END' && depth > 0) depth--;
  }
  return start === undefined ? '' : sql.slice(start, end);
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

function isWhole(param: unknown): boolean {
  return typeof param === 'boolean' || Number.isSafeInteger(param);
}

/** Everything but white space and comments: words, quoted texts, placeholders, and single characters. */
function* tokens(sql: string): Generator<{ text: string; at: number }> {
  const pattern =
    /(\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\?\d*|[\s\S]/gy;
  for (const match of sql.matchAll(pattern)) {
    if (match[1] === undefined) yield { text: match[0], at: match.index };
  }
}
