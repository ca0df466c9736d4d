import type { DocsIndex } from '../../../../contract/service.ts';
import type { Section } from '../navigation.ts';
import type { Shelf } from '../shelf.ts';
import { cutDocument } from './build.ts';

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

const readHeadings = (markdown: string) =>
  cutDocument(markdown).flatMap(({ id, heading }) => (id ? [{ id, title: heading }] : []));
