/** One `property: value` of a style sheet, with the selectors and conditions around it. */
export interface Declaration {
  property: string;
  value: string;
  within: string[];
}

const MAX_DEPTH = 8;
const MAX_PROPERTY = 80;
const MAX_VALUE = 300;
const MAX_SELECTOR = 300;

/**
 * Reads the declarations of CSS text. Works in one pass and with limits, because the text is not trusted. This is not a
 * full parser: a brace or semicolon inside a string splits the string, but the parts are never valid colours.
 */
export function* readDeclarations(css: string): Generator<Declaration> {
  const text = withoutComments(css);
  const within: string[] = [];
  let tooDeep = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at++) {
    const c = at === text.length ? ';' : text.charAt(at);
    if (c !== '{' && c !== '}' && c !== ';') continue;
    const [begin, end] = [from, at];
    from = at + 1;
    if (c === '{') {
      if (within.length < MAX_DEPTH)
        within.push(text.slice(begin, Math.min(end, begin + MAX_SELECTOR)).trim());
      else tooDeep++;
      continue;
    }
    const declaration = parse(text.slice(begin, Math.min(end, begin + MAX_PROPERTY + MAX_VALUE)));
    if (declaration) yield { ...declaration, within: [...within] };
    if (c === '}' && tooDeep > 0) tooDeep--;
    else if (c === '}') within.pop();
  }
}

function parse(text: string): { property: string; value: string } | undefined {
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  const property = text.slice(0, colon).trim();
  if (!/^[\w-]{1,80}$/.test(property)) return undefined;
  const value = text.slice(colon + 1, colon + 1 + MAX_VALUE);
  return { property: property.startsWith('--') ? property : property.toLowerCase(), value: value.trim() };
}

/** Removes comments. A regular expression would search for the end at every start, in quadratic time. */
function withoutComments(css: string): string {
  const parts: string[] = [];
  let at = 0;
  for (;;) {
    const begin = css.indexOf('/*', at);
    parts.push(css.slice(at, begin < 0 ? undefined : begin));
    const end = begin < 0 ? -1 : css.indexOf('*/', begin + 2);
    if (end < 0) return parts.join(' ');
    at = end + 2;
  }
}
