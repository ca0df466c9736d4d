/**
 * Finds the place for a script that must run before any of the author's: right after `<head>`, or where a browser
 * would imply one. This follows the HTML parser's first steps (https://html.spec.whatwg.org/#parsing-main-inhtml,
 * "initial" to "before head"): white space, comments, the doctype, `<html>` and `<head>` can come first, and
 * anything else begins the head's content. So it does not matter what the author left open later on.
 */
export function injectionPoint(html: string): number {
  let at = html.startsWith('\ufeff') ? 1 : 0;
  const seen = { doctype: false, html: false };
  for (;;) {
    at = skipSpace(html, at);
    const next = skipPreamble(html, at, seen);
    if (next === undefined) return at;
    if (next.isHead) return next.end;
    at = next.end;
  }
}

/** Skips one comment, doctype or opening tag that can come before the head's content. */
function skipPreamble(
  html: string,
  at: number,
  seen: { doctype: boolean; html: boolean },
): { end: number; isHead?: boolean } | undefined {
  if (html.startsWith('<!--', at)) return span(commentEnd(html, at));
  if (/^<!doctype/i.test(html.slice(at, at + 9))) {
    if (seen.doctype || seen.html) return undefined;
    seen.doctype = true;
    return span(after(html, '>', at));
  }
  if (html.startsWith('<!', at) || html.startsWith('<?', at)) return span(after(html, '>', at));
  const tag = /^<(html|head)[\s/>]/i.exec(html.slice(at, at + 6))?.[1]?.toLowerCase();
  if (tag === 'html' && !seen.html) {
    seen.html = true;
    return span(tagEnd(html, at));
  }
  if (tag === 'head') {
    const end = tagEnd(html, at);
    return end === undefined ? undefined : { end, isHead: true };
  }
  return undefined;
}

function span(end: number | undefined): { end: number } | undefined {
  return end === undefined ? undefined : { end };
}

function skipSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && ' \t\n\f\r'.includes(html.charAt(at))) at++;
  return at;
}

export function after(html: string, mark: string, from: number): number | undefined {
  const found = html.indexOf(mark, from);
  return found < 0 ? undefined : found + mark.length;
}

/** A comment ends at `-->` or `--!>`; `<!-->` and `<!--->` are whole comments. */
export function commentEnd(html: string, at: number): number | undefined {
  if (html.startsWith('>', at + 4)) return at + 5;
  if (html.startsWith('->', at + 4)) return at + 6;
  const end = /--!?>/g;
  end.lastIndex = at + 4;
  return end.exec(html) ? end.lastIndex : undefined;
}

/** A tag ends at the first `>` that is not inside a quoted attribute value. */
export function tagEnd(html: string, at: number): number | undefined {
  let quote = '';
  let isValueNext = false;
  for (let i = at; i < html.length; i++) {
    const c = html.charAt(i);
    if (quote) {
      if (c === quote) quote = '';
    } else if (c === '>') {
      return i + 1;
    } else if ((c === '"' || c === "'") && isValueNext) {
      quote = c;
    }
    isValueNext = c === '=' || (isValueNext && ' \t\n\f\r'.includes(c));
  }
  return undefined;
}
