/** The colors that style sheets and style attributes name, with their places. */

export interface ColorUse {
  from: number;
  to: number;
  value: string;
  /** The property that has it, such as `--accent` or `color`. */
  property: string;
  /** True if it is for dark mode only. */
  isDark: boolean;
}

/** A declaration such as `color: red`. `from` and `to` are the place of its value. */
interface Declaration {
  property: string;
  from: number;
  to: number;
  isDark: boolean;
}

/** Comments, strings and addresses have no colors, and braces in them do not count. */
const SKIPPED = /\/\*[\s\S]*?(?:\*\/|$)|"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|url\([^)]*\)?/gi;
const COLOR =
  /#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w-])|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)|(?<![\w-])[a-z]{3,20}(?![\w(-])/gi;
/** Other properties have words that are also the names of colors, such as those of animations and fonts. */
const HAS_COLORS =
  /^--|color$|^(background|border|outline|box-shadow|text-shadow|fill|stroke)|gradient|^accent/;
const MAX_COLORS = 500;
/** Letters that are read before a color, to find out whether it is the second of `light-dark()`. */
const MAX_BEFORE = 300;

/** The declarations of a style sheet, also in nested rules. */
export function findDeclarations(css: string): Declaration[] {
  const plain = css.replace(SKIPPED, (skipped) => ' '.repeat(skipped.length));
  const found: Declaration[] = [];
  const around: boolean[] = [];
  /** How many of the rules around are for dark mode. */
  let darkAround = 0;
  let start = 0;
  const read = (end: number) => {
    const [all, property] = /^\s*(--[\w-]+|-?[a-z][a-z-]*)\s*:/i.exec(plain.slice(start, end)) ?? [];
    if (all && property)
      found.push({
        property: property.toLowerCase(),
        from: start + all.length,
        to: end,
        isDark: darkAround > 0,
      });
  };
  let depth = 0;
  for (let at = 0; at < plain.length; at++) {
    const character = plain[at];
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (character === ';' && depth > 0) continue;
    if (character === '{' && around[around.push(isForDark(plain.slice(start, at))) - 1]) darkAround++;
    if (character === ';' || character === '}') read(at);
    if (character === '}' && around.pop()) darkAround--;
    if (character === '{' || character === '}' || character === ';') {
      start = at + 1;
      depth = 0;
    }
  }
  read(plain.length);
  return found;
}

/** Reads what stands before a rule once, however long it is: the page is not trusted. */
function isForDark(prelude: string): boolean {
  const text = prelude.toLowerCase();
  const isNamed = (selector: string) => {
    const at = selector.search(/[.[:]/);
    return at >= 0 && /\bdark\b/.test(selector.slice(at + 1));
  };
  const isDark = /prefers-color-scheme\s*:\s*dark/.test(text) || text.split(',').some(isNamed);
  const excluded = text.split(':not(').slice(1);
  return isDark && !excluded.some((part) => part.split(')', 1)[0]?.includes('dark'));
}

/** The colors of a style sheet. `isName` says whether a word is the name of a color. */
export function findColors(css: string, isName: (word: string) => boolean): ColorUse[] {
  const plain = css.replace(SKIPPED, (skipped) => ' '.repeat(skipped.length));
  const found: ColorUse[] = [];
  for (const { property, from, to, isDark } of findDeclarations(css)) {
    if (!HAS_COLORS.test(property)) continue;
    const value = plain.slice(from, to);
    for (const { 0: color, index } of value.matchAll(COLOR)) {
      if (/^[a-z]+$/i.test(color) && !isName(color.toLowerCase())) continue;
      // The second color of `light-dark()` is for dark mode.
      const isSecond = /light-dark\((?:[^()]|\([^()]*\))*,\s*$/i.test(
        value.slice(Math.max(0, index - MAX_BEFORE), index),
      );
      const at = from + index;
      found.push({ from: at, to: at + color.length, value: color, property, isDark: isDark || isSecond });
      if (found.length === MAX_COLORS) return found;
    }
  }
  return found;
}
