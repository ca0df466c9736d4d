import { DOCS_PATH, type Shelf } from './shelf.ts';

/** A chapter of the documentation, in reading order. */
export interface Section {
  title: string;
  links: DocLink[];
  /** True when its links are shown only on demand. */
  isFolded?: boolean;
}

export interface DocLink {
  href: string;
  title: string;
  /** One line for the list of contents. */
  about?: string;
}

/** What is to be read after what. A document that is not there is left out, one that is not named here comes last. */
const READING_ORDER: { title: string; documents: Record<string, string> }[] = [
  {
    title: 'Start',
    documents: {
      'quick-start': 'An account, a page, a function with a database: ten minutes.',
    },
  },
  {
    title: 'Build',
    documents: {
      pages: 'Publishing, addresses, versions, drafts, forks, and what a page’s scripts are given.',
      functions: 'Code that answers: deploying, calling, secrets, logs, limits.',
      databases: 'SQL for functions: queries, sharing, export and import.',
      data: 'Records for each visitor, for a team or for everybody, with live changes.',
      features: 'Chat and pictures for a page’s visitors, paid with credits they agreed to.',
      agents: 'How programs find their way: tokens, specs and tools.',
      'command-line': 'Everything from a shell.',
    },
  },
  {
    title: 'Run',
    documents: {
      running: 'A real server: systemd, TLS, PostgreSQL, backups, upgrades, health.',
      settings: 'Every setting, with its default.',
      providers: 'Who answers the visitor features, and how to connect them.',
      scaling: 'Several machines: what to run, what bounds it, upgrades without a pause.',
      security: 'What is protected, what is not, and how to report a hole.',
    },
  },
  {
    title: 'Look up',
    documents: {
      api: 'Every endpoint, with an example to paste.',
      architecture: 'How Quire is built, for those who change it.',
    },
  },
];

/** The API reference is made from the routes, by others. */
const API_REFERENCE = { href: `${DOCS_PATH}/api`, title: 'API reference' };

/** Sorts what is on the shelf into chapters. */
export function navigationOf(shelf: Shelf): Section[] {
  const named = new Set(READING_ORDER.flatMap(({ documents }) => Object.keys(documents)));
  const chapters = READING_ORDER.map(({ title, documents }) => ({
    title,
    links: Object.entries(documents).flatMap(([name, about]): DocLink[] => {
      if (name === 'api') return [{ ...API_REFERENCE, about }];
      const document = shelf.documents.get(name);
      return document ? [{ href: document.href, title: document.title, about }] : [];
    }),
  }));
  const others = [...shelf.documents].filter(([name]) => !named.has(name));
  const more = others.filter(([name]) => !name.includes('/')).map(([, document]) => document);
  const decisions = others.filter(([name]) => name.startsWith('decisions/')).map(([, document]) => document);
  return [
    ...chapters,
    { title: 'More', links: more.map(linkTo) },
    { title: 'Decisions', links: decisions.map(linkTo), isFolded: true },
  ].filter(({ links }) => links.length > 0);
}

function linkTo({ href, title }: DocLink): DocLink {
  return { href, title };
}

/** What comes before and after an address, through all chapters. */
export function neighboursOf(sections: Section[], href: string): { previous?: DocLink; next?: DocLink } {
  const all = sections.flatMap(({ links }) => links);
  const at = all.findIndex((link) => link.href === href);
  if (at < 0) return {};
  const [previous, next] = [all[at - 1], all[at + 1]];
  return { ...(previous && { previous }), ...(next && { next }) };
}
