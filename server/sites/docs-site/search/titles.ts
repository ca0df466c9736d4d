import type { DocsIndex } from '../../../../contract/service.ts';
import type { Section } from '../navigation.ts';
import type { Shelf } from '../shelf.ts';
import { toPlain } from './build.ts';

/** The titles and headings of all documents except decisions, which are for people who change Quire. */
export function searchIndex(sections: Section[], shelf: Shelf): DocsIndex {
  const markdown = new Map(
    [...shelf.documents.values()].map((document) => [document.href, document.markdown]),
  );
  const links = sections.filter(({ isFolded }) => !isFolded).flatMap((section) => section.links);
  return {
    documents: links.map(({ href, title, about }) => ({
      href,
      title,
      ...(about && { about }),
      headings: readHeadings(markdown.get(href) ?? ''),
    })),
  };
}

/** Headings have the ids that the pages have, because the same renderer makes them. */
function readHeadings(markdown: string): Array<{ id: string; title: string }> {
  const headings: Array<{ id: string; title: string }> = [];
  let current: { id: string; title: string } | undefined;
  new HTMLRewriter()
    .on('h2, h3', {
      element(element) {
        current = { id: element.getAttribute('id') ?? '', title: '' };
        headings.push(current);
      },
      text(chunk) {
        if (current) current.title += chunk.text;
      },
    })
    .transform(Bun.markdown.html(markdown, { headings: true }));
  return headings.map(({ id, title }) => ({ id, title: toPlain(title) }));
}
