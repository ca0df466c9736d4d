/**
 * Says whether a text holds more than one SQL statement. Semicolons in strings, names, comments and trigger bodies
 * do not count, nor does one at the end. It need not understand SQL: SQLite judges the statement itself.
 */
export function hasSecondStatement(sql: string): boolean {
  let isEnded = false;
  /** Words since the statement began, as far as they matter to tell a trigger. */
  let words: string[] = [];
  let depth = 0;
  for (const token of tokens(sql)) {
    if (isEnded) return true;
    if (token === ';') {
      isEnded = depth === 0;
      continue;
    }
    const word = token.toUpperCase();
    if (words.length < 4) words = [...words, word];
    const isTrigger = words[0] === 'CREATE' && words.slice(1, 3).includes('TRIGGER');
    if (!isTrigger) continue;
    if (word === 'BEGIN' || word === 'CASE') depth++;
    else if (word === 'END' && depth > 0) depth--;
  }
  return false;
}

/** Words and semicolons; everything else that is not space or comment counts as a word too. */
function* tokens(sql: string): Generator<string> {
  const pattern =
    /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|('(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|\[[^\]]*(?:\]|$))|([A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|([\s\S])/gy;
  for (const [, text, word, other] of sql.matchAll(pattern)) {
    if (text !== undefined) yield 'text';
    else if (word !== undefined) yield word;
    else if (other !== undefined) yield other;
  }
}
