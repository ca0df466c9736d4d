/** One JSON token, with the space before it. */
const TOKEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings must not contain them
  /[ \t\r\n]*("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:])/y;

/** The error in a text that is not JSON, with its offset. JSON.parse reports neither reliably. */
export function findJsonFault(text: string): { message: string; offset: number } | undefined {
  let at = 0;
  let token = '';
  let start = 0;
  const end = 'the end of the file';

  function next(): void {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    token = found?.[1] ?? '';
    start = found
      ? TOKEN.lastIndex - token.length
      : at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
    at = found ? TOKEN.lastIndex : start;
  }
  const fault = (expected: string) => ({
    message: `expected ${expected}, found ${start >= text.length ? end : token || text[start]}`,
    offset: Math.min(start, Math.max(0, text.length - 1)),
  });

  function value(): { message: string; offset: number } | undefined {
    if (token === '{')
      return list('}', () => {
        if (!token.startsWith('"')) return fault('a name in double quotes');
        next();
        if (token !== ':') return fault(':');
        next();
        return value();
      });
    if (token === '[') return list(']', value);
    if (token === '' || /^[}\],:]$/.test(token)) return fault('a value');
    next();
    return undefined;
  }

  function list(close: string, item: () => { message: string; offset: number } | undefined) {
    next();
    if (token === close) {
      next();
      return undefined;
    }
    for (;;) {
      const wrong = item();
      if (wrong) return wrong;
      const isEnd = token === close;
      if (!isEnd && token !== ',') return fault(`, or ${close}`);
      next();
      if (isEnd) return undefined;
    }
  }

  next();
  const wrong = value();
  if (wrong) return wrong;
  return start < text.length && /[^ \t\r\n]/.test(text.slice(start)) ? fault(end) : undefined;
}
