import { DOCS_PATH, type Shelf } from './shelf.ts';

/** A chapter of the documentation. */
export interface Section {
  title: string;
  links: DocLink[];
  /** True if its links are collapsed. */
  isFolded?: boolean;
}

interface DocLink {
  href: string;
  title: string;
  /** One line for the table of contents. */
  about?: string;
}

/** The reading order. Documents that do not exist are skipped; documents that are not listed come last. */
const READING_ORDER: { title: string; documents: Record<string, string> }[] = [
  {
    title: 'Start',
    documents: {
      'quick-start': 'Create an account, a page, and a function with a database in ten minutes.',
    },
  },
  {
    title: 'Build',
    documents: {
      pages: 'Publish a page; addresses, versions, drafts, forks, and the globals for a page’s scripts.',
      functions: 'Deploy and call code on the server; secrets, logs, limits.',
      databases: 'SQL databases for functions: queries, sharing, export and import.',
      data: 'Records for each visitor, for a team or for everyone, with live changes.',
      live: 'Messages between everyone who has a page open, and who is there.',
      forms: 'Contact forms without login: messages and files from visitors, and your inbox.',
      features: 'Chat and images for a page’s visitors, paid with credits that they agree to spend.',
      builder: 'Describe a page in words: what the builder does, costs and cannot do.',
      history: 'Move a page with its functions, databases and records back to an earlier moment.',
      branches: 'Try changes on a copy of a page with its functions, databases and records.',
      analytics: 'Views, visitors, referrers, and errors in visitors’ browsers, without cookies.',
      domains: 'Put a page at a domain of your own.',
      agents: 'llms.txt, MCP tools, tokens and agent specs.',
      applications: 'How a page, a TypeScript function, packages, live messages and schedules work together.',
      'command-line': 'Publish and manage everything from a shell.',
    },
  },
  {
    title: 'Run',
    documents: {
      running: 'Set up a server: systemd, TLS, PostgreSQL, backups, upgrades, monitoring.',
      operating: 'What to do when something happens: each alert, and a day in the life of a server.',
      recovery:
        'Bring a server back: a lost disk, a wrong deletion, another machine, with a replica or pgBackRest.',
      settings: 'Every setting, with its default.',
      'sign-in': 'Who can register, forgotten passwords, and single sign-on with your own provider.',
      administration: 'Look after users, pages and functions: suspend, take down, quotas, audit log.',
      mail: 'Connect a mail server; what is sent when, and limits.',
      providers: 'Connect AI and image providers for the visitor features.',
      scaling: 'Run a cluster: setup, limits, upgrades without downtime.',
      privacy: 'What is stored about people and for how long; export and deletion of accounts.',
      security: 'What is protected, what is not, and how to report a vulnerability.',
      dependencies: 'What Quire is made of besides its own code: packages, licences, and why each is there.',
    },
  },
  {
    title: 'Reference',
    documents: {
      api: 'All endpoints, with examples to paste.',
      architecture: 'How Quire is built, for people who change it.',
    },
  },
];

/** The API reference is generated from the routes, not from a document. */
const API_REFERENCE = { href: `${DOCS_PATH}/api`, title: 'API reference' };

/** Sorts the documents into chapters. */
export function makeNavigation(shelf: Shelf): Section[] {
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

/** The previous and next document, across all chapters. */
export function findNeighbours(sections: Section[], href: string): { previous?: DocLink; next?: DocLink } {
  const all = sections.flatMap(({ links }) => links);
  const at = all.findIndex((link) => link.href === href);
  if (at < 0) return {};
  const [previous, next] = [all[at - 1], all[at + 1]];
  return { ...(previous && { previous }), ...(next && { next }) };
}
