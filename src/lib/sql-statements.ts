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

/** Everything but white space and comments: words, quoted texts, and single characters. */
function* tokens(sql: string): Generator<{ text: string; at: number }> {
  const pattern =
    /(\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$)|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|[\s\S]/gy;
  for (const match of sql.matchAll(pattern)) {
    if (match[1] === undefined) yield { text: match[0], at: match.index };
  }
}
