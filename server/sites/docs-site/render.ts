import { posix } from 'node:path';
import { AUDIENCE, DOCS_PATH, type Picture, type Shelf } from './shelf.ts';

/** A heading that can be linked to; its text is HTML. */
export interface Heading {
  id: string;
  text: string;
}

export interface Rendered {
  /** The text after the title, as HTML. */
  body: string;
  headings: Heading[];
}

const OPTIONS: Bun.markdown.Options = { headings: true, autolinks: { url: true }, tagFilter: true };

/**
 * Turns a document into HTML for our pages: links between files become links between pages, wide tables and code scroll,
 * and pictures have their size.
 */
export function renderDocument(name: string, markdown: string, shelf: Shelf): Rendered {
  const headings: Heading[] = [];
  let heading: Heading | undefined;
  const body = new HTMLRewriter()
    .on('h1', { element: (element) => void element.remove() })
    .on('h2', {
      element(element) {
        heading = { id: element.getAttribute('id') ?? '', text: '' };
        headings.push(heading);
        element.onEndTag(() => {
          heading = undefined;
        });
      },
      text(chunk) {
        if (heading) heading.text += chunk.text;
      },
    })
    .on('a[href]', {
      element(element) {
        const href = resolveLink(element.getAttribute('href') ?? '', name, shelf);
        if (href === undefined) element.removeAndKeepContent();
        else element.setAttribute('href', href);
      },
    })
    .on('img', {
      element(element) {
        const file = posix.basename(element.getAttribute('src') ?? '');
        const picture = shelf.pictures.get(file);
        if (!picture) throw new Error(`docs/${name}.md shows a picture that does not exist: ${file}`);
        const dark = shelf.pictures.get(file.replace(/\.png$/, '-dark.png'));
        element.replace(pictureTag(picture, dark, element.getAttribute('alt') ?? ''), { html: true });
      },
    })
    // A scrollable area must be reachable with the keyboard.
    .on('pre', { element: (element) => void element.setAttribute('tabindex', '0') })
    .on('table', {
      element(element) {
        element.before('<div class="scroll" tabindex="0" role="group" aria-label="Table">', { html: true });
        element.after('</div>', { html: true });
      },
    })
    .transform(Bun.markdown.html(markdown.replace(AUDIENCE, '$1'), OPTIONS));
  return { body, headings };
}

/** The URL for a link in a document; undefined if it points to a file that is not served. */
export function resolveLink(href: string, from: string, shelf: Shelf): string | undefined {
  if (/^([a-z]+:|#|\/)/i.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.join(posix.dirname(from), path);
  if (target === 'decisions' || target === 'decisions/') return `${DOCS_PATH}#decisions`;
  const document = target.endsWith('.md') ? shelf.documents.get(target.slice(0, -'.md'.length)) : undefined;
  if (!document) return undefined;
  return anchor === undefined ? document.href : `${document.href}#${anchor}`;
}

function pictureTag(picture: Picture, dark: Picture | undefined, alt: string): string {
  const { href, width, height } = picture;
  const image = `<img src="${href}" alt="${alt}" width="${width}" height="${height}" loading="lazy">`;
  if (!dark) return image;
  return `<picture><source srcset="${dark.href}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}
