import type { Attribute, Tag } from '../serving/render/tags.ts';
import { readAttributes, walkTags } from '../serving/render/tags.ts';
import { addressesInSrcset, fileBesidePage, functionSlugIn } from './addresses.ts';
import { readScript, readScriptFile, type ScriptFinding } from './scripts.ts';

/** Something in a document, with its line and column, both from 1. */
export type Finding = Placed & { line: number; column: number };
type Placed =
  | ScriptFinding
  | { kind: 'too much script'; at: number }
  /** A script whose language only a build understands. */
  | { kind: 'source'; path: string; at: number };

/** Characters of scripts that are parsed: a parser takes up to 300 bytes for each. */
const MAX_SCRIPT_LETTERS = 512 * 1024;
/** Different addresses that are checked. */
const MAX_ADDRESSES = 5_000;
/** The most findings. More would not help anyone. */
const MAX_FINDINGS = 50;

/** The types of scripts that browsers run. Others are data or templates. */
const JAVASCRIPT =
  /^(|module|(text|application)\/(x-)?(javascript|ecmascript)|text\/(javascript1\.[0-5]|jscript|livescript))$/i;

/** Files that browsers cannot run before they are built. */
const SOURCE = /\.(?:tsx?|jsx|vue|svelte)(?:[?#]|$)/i;

/** The attributes with an address that is loaded or followed. */
const ADDRESSES = new Set(['src', 'href', 'poster', 'action', 'formaction', 'data', 'srcset']);
const HAS_ADDRESS = /[\s/"'](src|href|poster|action|formaction|data|srcset)\s*=/i;

/** Reads a document without running it, in time proportional to its length except for the parsing of scripts. */
export async function readDocument(given: string, baseUrl: string): Promise<Finding[]> {
  // The replacement has the same length, so places stay. It is a number, because scripts use the placeholder as one.
  const html = given.replaceAll('{{PAGE_ID}}', '10000000000');
  const reading = new DocumentReader(html, baseUrl);
  walkTags(html, (tag) => reading.tag(tag));
  await reading.scripts();
  return withPlaces(html, reading.result());
}

/** Reads a script file without running it. */
export async function readScripts(code: string, baseUrl: string): Promise<Finding[]> {
  const acorn = await import('acorn');
  const seen = new Set<string>();
  const found = readScriptFile(acorn, code, baseUrl).filter(({ at: _, ...key }) => {
    const name = JSON.stringify(key);
    return seen.size < MAX_FINDINGS && !seen.has(name) && seen.add(name);
  });
  return withPlaces(
    code,
    found.sort((a, b) => a.at - b.at),
  );
}

class DocumentReader {
  private readonly found: Placed[] = [];
  private readonly waiting: Array<{ tag: Tag; isModule: boolean }> = [];
  private readonly addresses = new Set<string>();
  private templateDepth = 0;
  private hasBase = false;

  constructor(
    private readonly html: string,
    private readonly baseUrl: string,
  ) {}

  tag(tag: Tag): void {
    if (tag.name === 'template') this.templateDepth++;
    if (tag.name === '/template') this.templateDepth = Math.max(0, this.templateDepth - 1);
    if (this.templateDepth > 0 || tag.name.startsWith('/')) return;
    if (tag.name === 'style') this.style(tag);
    const isScript = tag.name === 'script';
    if (!isScript && !HAS_ADDRESS.test(this.html.slice(tag.at, tag.end))) return;
    const attributes = [...readAttributes(this.html, tag)];
    if (isScript) this.script(tag, attributes);
    // With `<base>`, addresses are relative to it, wherever it leads.
    if (tag.name === 'base') this.hasBase ||= attributes.some(({ name }) => name === 'href');
    else for (const attribute of attributes) this.attribute(attribute);
  }

  /** Reads the scripts last: they need a parser, which is loaded only if there are any. */
  async scripts(): Promise<void> {
    if (this.waiting.length === 0) return;
    const acorn = await import('acorn');
    let letters = 0;
    for (const { tag, isModule } of this.waiting) {
      const code = this.html.slice(tag.end, tag.textEnd);
      letters += code.length;
      if (letters > MAX_SCRIPT_LETTERS) {
        this.found.push({ kind: 'too much script', at: tag.at });
        return;
      }
      for (const each of readScript(acorn, code, { isModule, baseUrl: this.baseUrl }))
        this.found.push({ ...each, at: tag.end + each.at });
    }
  }

  /** The findings in the order of the document; each function and each file once. */
  result(): Placed[] {
    const seen = new Set<string>();
    const result: Placed[] = [];
    for (const each of this.found.sort((a, b) => a.at - b.at)) {
      if (each.kind === 'file' && this.hasBase) continue;
      const { at: _, ...key } = each;
      const name = each.kind === 'syntax' ? `${each.at}` : JSON.stringify(key);
      if (seen.has(name)) continue;
      seen.add(name);
      result.push(each);
      if (result.length === MAX_FINDINGS) break;
    }
    return result;
  }

  private script(tag: Tag, attributes: Attribute[]): void {
    const type = attributes.find(({ name }) => name === 'type')?.value.trim() ?? '';
    if (!JAVASCRIPT.test(type)) return;
    const source = attributes.find(({ name }) => name === 'src');
    if (source && SOURCE.test(source.value))
      this.found.push({ kind: 'source', path: source.value, at: source.at });
    if (source) return;
    this.waiting.push({ tag, isModule: /^module$/i.test(type) });
  }

  private attribute({ name, value, at }: Attribute): void {
    if (!ADDRESSES.has(name)) return;
    for (const address of name === 'srcset' ? addressesInSrcset(value) : [value]) this.address(address, at);
  }

  private address(address: string, at: number): void {
    // The same address again says nothing new, and a document can have a million.
    if (this.addresses.has(address) || this.addresses.size > MAX_ADDRESSES) return;
    this.addresses.add(address);
    const slug = functionSlugIn(address.trim(), this.baseUrl);
    if (slug !== undefined) this.found.push({ kind: 'call', slug, at });
    const path = fileBesidePage(address);
    if (path !== undefined) this.found.push({ kind: 'file', path, at });
  }

  private style({ end, textEnd }: Tag): void {
    const css = withoutComments(this.html.slice(end, textEnd));
    // Repetitions have a limit, so that the time is proportional to the length.
    for (const pattern of [
      /url\(\s{0,9}(["']?)([^"')\s]{1,300})\1\s{0,9}\)/gi,
      /@import\s{1,9}(["'])([^"'\n]{1,300})\1/gi,
    ])
      for (const { 2: address = '', index } of css.matchAll(pattern)) this.address(address, end + index);
  }
}

/** Replaces comments by as many spaces, so that places stay. */
function withoutComments(css: string): string {
  let result = '';
  let at = 0;
  for (let start = css.indexOf('/*'); start >= 0; start = css.indexOf('/*', at)) {
    const end = css.indexOf('*/', start + 2);
    result += css.slice(at, start);
    if (end < 0) return result;
    result += ' '.repeat(end + 2 - start);
    at = end + 2;
  }
  return result + css.slice(at);
}

/** Adds line and column to what is found, in one pass. */
function withPlaces(html: string, found: Placed[]): Finding[] {
  let line = 1;
  let lineAt = 0;
  return found.map((each) => {
    for (
      let next = html.indexOf('\n', lineAt);
      next >= 0 && next < each.at;
      next = html.indexOf('\n', lineAt)
    ) {
      line++;
      lineAt = next + 1;
    }
    return { ...each, line, column: each.at - lineAt + 1 };
  });
}
