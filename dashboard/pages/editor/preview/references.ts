/** Where documents, styles and scripts refer to files. */

type Replace = (address: string) => string | undefined;

/** Each has the address in its last group, and what comes before it in the others. */
const IN_HTML = [/(\s(?:src|href|poster)\s*=\s*")([^"]*)/gi, /(\s(?:src|href|poster)\s*=\s*')([^']*)/gi];
const SRCSET = /(\ssrcset\s*=\s*["'])([^"']*)/gi;
const IN_CSS = [/(\burl\(\s*["']?)([^"'()\s]+)/gi, /(@import\s+["'])([^"']+)/gi];
const IN_SCRIPT = [/(\b(?:from|import)\s*\(?\s*["'])([^"']+)/g];

/** Replaces the addresses in a text for which `replace` returns another. */
export function replaceReferences(
  text: string,
  language: 'html' | 'css' | 'javascript',
  replace: Replace,
): string {
  const patterns = {
    html: [...IN_HTML, ...IN_CSS, ...IN_SCRIPT],
    css: IN_CSS,
    javascript: IN_SCRIPT,
  }[language];
  const put = (all: string, before: string, address: string) => {
    const next = replace(address);
    return next === undefined ? all : before + next;
  };
  const replaced = patterns.reduce((result, pattern) => result.replace(pattern, put), text);
  if (language !== 'html') return replaced;
  return replaced.replace(SRCSET, (_, before: string, list: string) => {
    const items = list.split(',').map((item) => item.replace(/^(\s*)(\S+)/, put));
    return before + items.join(',');
  });
}

/** The path of a file that an address in another file means. Undefined if it leads elsewhere. */
export function pathOfReference(address: string, from: string): { path: string; rest: string } | undefined {
  if (address === '' || address.startsWith('#') || !URL.canParse(address, toBaseUrl(from))) return undefined;
  const url = new URL(address, toBaseUrl(from));
  if (url.host !== HOST || url.protocol !== 'http:') return undefined;
  try {
    const path = decodeURIComponent(url.pathname.slice(1)).normalize('NFC');
    return { path, rest: url.search + url.hash };
  } catch {
    return undefined;
  }
}

/** Any host: only the path matters. */
const HOST = 'page.invalid';
const toBaseUrl = (from: string) => `http://${HOST}/${encodePath(from)}`;

export const encodePath = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Makes relative addresses in a document start from another place. */
export function withBase(html: string, href: string): string {
  // Not before the doctype, which would then have no effect.
  const start =
    /^(?:\s|<!--[\s\S]*?-->|<!doctype[^>]*>|<html(?:\s[^>]*)?>|<head(?:\s[^>]*)?>)*/i.exec(html)?.[0] ?? '';
  return `${start}<base href="${href}">${html.slice(start.length)}`;
}
