/** What can be drawn of a document that is being written. */

/**
 * The document up to its last complete tag, with scripts that browsers do not run. What this returns for a document
 * begins with what it returned for the beginning of the document.
 */
export function toComplete(html: string): string {
  const open = html.lastIndexOf('<');
  const complete = open > html.lastIndexOf('>') ? html.slice(0, open) : html;
  // Browsers take the first `type` of a tag, so one that the script has already does not make it run.
  return complete.replace(/<script(?=[\s/>])/gi, '<script type="text/held"');
}

/** True if there is something to see: a style alone is an empty page. Takes time in proportion to the length. */
export function hasContent(html: string): boolean {
  const start = Math.max(html.search(/<body\b/i), html.search(/<\/head\b/i));
  if (start < 0 && /<head\b/i.test(html)) return false;
  const shown = html
    .slice(Math.max(start, 0))
    .replace(/<(style|script|title)\b[\s\S]*?(<\/\1\s*>|$)/gi, '')
    .replace(/<!--[\s\S]*?(-->|$)/g, '');
  return /<(img|svg|canvas|input|button|hr)\b/i.test(shown) || /\S/.test(shown.replace(/<[^>]*(>|$)/g, ''));
}
