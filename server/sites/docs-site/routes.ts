import { raw } from 'hono/html';
import { z } from 'zod';
import { notFound, type PublicError } from '../../lib/errors.ts';
import { isKnown, type Route, route, wantsMarkdown } from '../../platform/http/index.ts';
import { errorScreen, html, t } from '../screens/index.ts';
import { keepPage } from './keep.ts';
import { docsPage, layoutRoutes, SEARCH_PATH } from './layout.ts';
import { makeNavigation, type Section } from './navigation.ts';
import { renderDocument } from './render.ts';
import { buildIndex, type WordIndex } from './search/build.ts';
import { type Found, search } from './search/find.ts';
import { resultsPage } from './search/page.ts';
import { searchIndex } from './search/titles.ts';
import { DOCS_PATH, type Document, fillShelf, type Picture, type Shelf } from './shelf.ts';

export interface Docs {
  routes: Route[];
  /** The documents. */
  navigation(): Section[];
}

type Respond = (request: Request) => Promise<Response>;

/** Serves the documents of a folder, which is read on the first request. */
export function createDocs(options: { folder: string; baseUrl: string }): Docs {
  const library = new Library(options.folder, options.baseUrl);
  const failureScreen = (failure: PublicError) =>
    failure.status === 404
      ? errorScreen(failure, options.baseUrl, undefined, {
          path: DOCS_PATH,
          text: t('Go to the documentation'),
        })
      : undefined;
  const routes = docsRoutes(library).map((each) => ({ ...each, failureScreen }));
  return { routes, navigation: () => library.navigation };
}

/** The documents, and the pages that have been made of them. */
class Library {
  private readonly pages = new Map<string, Respond>();
  private readonly makeIndex = keepPage(() => indexPage(this.navigation));
  private readonly makeMarkdownIndex = keepPage(async () => ({
    text: markdownIndex(this.navigation, this.baseUrl),
    headers: MARKDOWN_HEADERS,
  }));
  private readonly makeSearchIndex = keepPage(async () => ({
    text: JSON.stringify(searchIndex(this.navigation, this.shelf)),
    headers: JSON_HEADERS,
  }));
  private filled: Shelf | undefined;
  private words: Promise<WordIndex> | undefined;
  private sections: Section[] | undefined;

  constructor(
    private readonly folder: string,
    private readonly baseUrl: string,
  ) {}

  get navigation(): Section[] {
    this.sections ??= makeNavigation(this.shelf);
    return this.sections;
  }

  index(request: Request): Promise<Response> | Response {
    return wantsMarkdown(request) ? this.makeMarkdownIndex(request) : this.makeIndex(request);
  }

  searchIndex(request: Request): Promise<Response> {
    return this.makeSearchIndex(request);
  }

  /** Finds what the documentation says about something. The index is made by the first search. */
  async find(query: string, limit: number): Promise<Found[]> {
    this.words ??= buildIndex(this.navigation, this.shelf);
    return search(await this.words, query, limit);
  }

  /** `pages` is the page, `pages.md` its Markdown source. */
  page(request: Request, given: string): Promise<Response> | Response {
    const name = given.replace(/\.md$/, '');
    const document = this.shelf.documents.get(name);
    if (!document) throw notFound('This page of the documentation was not found.');
    const asked = wantsMarkdown(request) ? `${name}.md` : given;
    const kept = this.pages.get(asked) ?? keepPage(() => this.makePage(asked, name, document));
    this.pages.set(asked, kept);
    return kept(request);
  }

  picture(request: Request, file: string): Response {
    const picture = this.shelf.pictures.get(file);
    if (!picture) throw notFound('This picture was not found.');
    return sendPicture(request, picture);
  }

  private get shelf(): Shelf {
    this.filled ??= fillShelf(this.folder, this.baseUrl);
    return this.filled;
  }

  private async makePage(asked: string, name: string, document: Document) {
    if (asked !== name) return { text: document.markdown, headers: MARKDOWN_HEADERS };
    const { body, headings } = renderDocument(name, document.markdown, this.shelf);
    const { audience } = document;
    const list = headings.map(({ id, text }) => html`<li><a href="#${id}">${raw(text)}</a></li>`);
    return docsPage(
      {
        href: document.href,
        title: document.title,
        audience,
        main: html`<article>${raw(body)}</article>`,
        ...(list.length > 1 && { contents: html`${list}` }),
        source: `${document.href}.md`,
      },
      this.navigation,
    );
  }
}

function docsRoutes(library: Library): Route[] {
  return [
    ...layoutRoutes,
    route({
      method: 'GET',
      path: DOCS_PATH,
      access: { kind: 'public' },
      summary: 'The documentation',
      handle: ({ request }) => library.index(request),
    }),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/search.json`,
      access: { kind: 'public' },
      summary: 'The titles and headings of the documentation, for searching it',
      handle: ({ request }) => library.searchIndex(request),
    }),
    ...searchRoutes(library),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/:name`,
      access: { kind: 'public' },
      summary: 'A page of the documentation',
      params: z.object({ name: z.string() }),
      handle: ({ request, params }) => library.page(request, params.name),
    }),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/decisions/:name`,
      access: { kind: 'public' },
      summary: 'A decision',
      params: z.object({ name: z.string() }),
      handle: ({ request, params }) => library.page(request, `decisions/${params.name}`),
    }),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/pictures/:file`,
      access: { kind: 'public' },
      summary: 'A picture of the documentation',
      params: z.object({ file: z.string() }),
      handle: ({ request, params }) => library.picture(request, params.file),
    }),
  ];
}

const RESULTS_WHILE_TYPING = 8;
const RESULTS = 20;

const readQuery = (request: Request) => new URL(request.url).searchParams.get('q') ?? '';

function searchRoutes(library: Library): Route[] {
  return [
    route({
      method: 'GET',
      path: SEARCH_PATH,
      access: { kind: 'public' },
      summary: 'Search the documentation: `?q=` and words',
      async handle({ request }) {
        const query = readQuery(request);
        const results = await library.find(query, RESULTS);
        const { text, headers } = await resultsPage(query, results, library.navigation);
        return new Response(text, { headers: { ...headers, 'cache-control': 'no-store' } });
      },
    }),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/results.json`,
      access: { kind: 'public' },
      summary: 'The best results of a search in the documentation, while somebody types',
      async handle({ request }) {
        const results = await library.find(readQuery(request), RESULTS_WHILE_TYPING);
        return new Response(JSON.stringify({ results }), {
          headers: { ...JSON_HEADERS, 'cache-control': 'public, max-age=60' },
        });
      },
    }),
  ];
}

const MARKDOWN_HEADERS = {
  'content-type': 'text/markdown; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
};

function markdownIndex(sections: Section[], baseUrl: string): string {
  const chapters = sections.map(({ title, links }) => {
    const items = links.map(
      (link) => `- [${link.title}](${baseUrl}${link.href})${link.about ? `: ${link.about}` : ''}`,
    );
    return `## ${title}\n\n${items.join('\n')}`;
  });
  return `# Quire documentation\n\nAdd .md to an address for its Markdown.\n\n${chapters.join('\n\n')}\n`;
}

function indexPage(sections: Section[]) {
  const chapters = sections.map(
    ({ title, links }) => html`<section id="${title.toLowerCase().replaceAll(' ', '-')}">
<h2>${title}</h2>
<ul class="shelf">
${links.map(
  ({ href, title, about }) =>
    html`<li><a href="${href}">${title}</a>${about && html`<span>${about}</span>`}</li>
`,
)}</ul>
</section>
`,
  );
  const main = html`<p class="lede">Quire is a self-hosted service for publishing pages that have a back end. Send it an HTML
document and get a live page. Send it a JavaScript module and get an endpoint with a database. Start with the
<a href="${DOCS_PATH}/quick-start">quick start</a>.</p>
${chapters}`;
  return docsPage({ href: DOCS_PATH, title: 'Documentation', main }, sections);
}

function sendPicture(request: Request, { bytes, hash }: Picture): Response {
  const isNamed = new URL(request.url).searchParams.get('v') === hash;
  const etag = `"${hash}"`;
  const headers = {
    'content-type': 'image/png',
    'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'public, no-cache',
    etag,
    'x-content-type-options': 'nosniff',
  };
  return isKnown(request, etag)
    ? new Response(null, { status: 304, headers })
    : new Response(bytes, { headers });
}
