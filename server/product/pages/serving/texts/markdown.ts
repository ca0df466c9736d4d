import { decodeHTML } from 'entities/decode';
import { after, commentEnd } from '../render/injection-point.ts';
import { readAttributes, type Tag, walkTags } from '../render/tags.ts';

/** Characters of a document that are converted, so that nobody has to wait for more. */
export const MAX_MARKDOWN_HTML = 128 * 1024;

const SKIPPED =
  /^(script|style|title|template|svg|textarea|iframe|noscript|select|object|video|audio|canvas)$/;
const BLOCK =
  /^(p|div|section|article|aside|header|footer|main|nav|form|fieldset|figure|figcaption|blockquote|ul|ol|dl|dt|dd|table|details|summary|address|body)$/;
const HEADING = /^h([1-6])$/;

/** The text of a document as Markdown: headings, paragraphs, lists, links, pictures, code and tables. */
export function toMarkdown(html: string): string {
  const isCut = html.length > MAX_MARKDOWN_HTML;
  const source = withoutDeclarations(html.slice(0, MAX_MARKDOWN_HTML));
  const writer = new Writer(source);
  walkTags(source, (tag) => writer.tag(tag));
  const text = writer.end();
  return isCut ? `${text}\n\n[The rest of the page is left out.]` : text;
}

class Writer {
  private readonly parts: string[] = [];
  private readonly links: string[] = [];
  /** Where the text after the last tag begins. */
  private at = 0;
  /** The element that is skipped, and how deep it is nested in itself. */
  private skipped: { name: string; depth: number } | undefined;
  private isPreformatted = false;

  constructor(private readonly html: string) {}

  tag(tag: Tag): void {
    this.text(tag.at);
    this.at = tag.textEnd ?? tag.end;
    const isEnd = tag.name.startsWith('/');
    const name = isEnd ? tag.name.slice(1) : tag.name;
    if (this.skipped) {
      if (name === this.skipped.name) this.skipped.depth += isEnd ? -1 : 1;
      if (this.skipped.depth === 0) this.skipped = undefined;
    } else if (SKIPPED.test(name)) {
      // The content of a text element has been skipped already, and its end tag is next.
      if (!isEnd) this.skipped = { name, depth: 1 };
    } else {
      this.write(isEnd ? this.closing(name) : this.opening(name, tag));
    }
  }

  end(): string {
    this.text(this.html.length);
    // A pattern for spaces before a line break would take time in proportion to the square of a long run of spaces.
    const lines = this.parts.join('').split('\n');
    return lines
      .map((line) => line.trimEnd())
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim();
  }

  private write(text: string): void {
    if (text !== '') this.parts.push(text);
  }

  private text(until: number): void {
    if (this.skipped || until <= this.at) return;
    const text = decodeHTML(this.html.slice(this.at, until));
    this.write(this.isPreformatted ? text : text.replace(/\s+/g, ' '));
  }

  private opening(name: string, tag: Tag): string {
    const level = HEADING.exec(name)?.[1];
    if (level) return `\n\n${'#'.repeat(Number(level))} `;
    if (name === 'li') return '\n- ';
    if (name === 'br') return '\n';
    if (name === 'hr') return '\n\n---\n\n';
    if (name === 'tr') return '\n';
    if (name === 'td' || name === 'th') return '| ';
    if (name === 'strong' || name === 'b') return '**';
    if (name === 'code') return this.isPreformatted ? '' : '`';
    if (name === 'pre') {
      this.isPreformatted = true;
      return '\n\n```\n';
    }
    if (name === 'a') {
      this.links.push(this.attribute(tag, 'href'));
      return '[';
    }
    if (name === 'img') {
      const alt = this.attribute(tag, 'alt');
      return alt === '' ? '' : `![${alt}](${this.attribute(tag, 'src')})`;
    }
    return BLOCK.test(name) ? '\n\n' : '';
  }

  private closing(name: string): string {
    if (name === 'strong' || name === 'b') return '**';
    if (name === 'code') return this.isPreformatted ? '' : '`';
    if (name === 'td' || name === 'th') return ' ';
    if (name === 'pre') {
      this.isPreformatted = false;
      return '\n```\n\n';
    }
    if (name === 'a') {
      const href = this.links.pop();
      return href === undefined ? '' : `](${href})`;
    }
    return BLOCK.test(name) || HEADING.test(name) ? '\n\n' : '';
  }

  private attribute(tag: Tag, wanted: string): string {
    for (const { name, value } of readAttributes(this.html, tag))
      if (name === wanted) return decodeHTML(value).replace(/\s+/g, ' ').trim();
    return '';
  }
}

/** Removes comments, doctypes and processing instructions. */
function withoutDeclarations(html: string): string {
  let result = '';
  let at = 0;
  const pattern = /<[!?]/g;
  for (let found = pattern.exec(html); found; found = pattern.exec(html)) {
    result += html.slice(at, found.index);
    const end = html.startsWith('<!--', found.index)
      ? commentEnd(html, found.index)
      : after(html, '>', found.index);
    if (end === undefined) return result;
    at = end;
    pattern.lastIndex = end;
  }
  return result + html.slice(at);
}
