import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Visit } from '../../../platform/http/index.ts';
import { DOCUMENTS } from './documents.ts';
import { type Exchange, type Offer, parseCursor } from './protocol/index.ts';
import type { CallTool, Tool, ToolCaller } from './tools/index.ts';

/** Pages in one part of the list. Each has two resources. */
const PAGES_PER_PART = 25;

/** Tokens of a page as a resource, which cannot be read in parts. */
const PAGE_TOKENS = 20_000;

const DOCS = 'quire://docs/';
const PAGES = 'quire://pages/';
const ADDRESS = /^quire:\/\/(?:docs\/(?<document>[\w.-]+)|pages\/(?<id>\d{1,16})(?<spec>\/agent-spec)?)$/;

const TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: `${DOCS}{name}`,
    name: 'documentation',
    title: 'Documentation',
    description: 'A guide to Quire.',
    mimeType: 'text/markdown',
  },
  {
    uriTemplate: `${PAGES}{id}`,
    name: 'page',
    title: 'Page',
    description: 'One of your pages with its HTML and settings, by its id.',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: `${PAGES}{id}/agent-spec`,
    name: 'agent-spec',
    title: 'Agent spec',
    description: 'What a page says about itself to agents, with the schemas of its collections.',
    mimeType: 'text/plain',
  },
];

/** The functions that resources are read with. */
interface ResourceContext {
  baseUrl: string;
  tools: Map<string, Tool>;
  callTool: CallTool;
  call(request: Request, visit: Visit): Promise<Response>;
}

/** The documentation, the caller's pages, and what pages say about themselves. Pages are read with the tools for them. */
export function createResources(context: ResourceContext): NonNullable<Offer<ToolCaller>['resources']> {
  return {
    templates: TEMPLATES,
    async list(cursor, exchange) {
      const from = cursor === undefined ? 0 : parseCursor(cursor);
      const { pages, hasMore } = await listPages(context, from, exchange);
      return {
        resources: [...(from === 0 ? documentResources() : []), ...pages.flatMap(pageResources)],
        ...(hasMore && { nextCursor: String(from + PAGES_PER_PART) }),
      };
    },
    async read(uri, exchange) {
      const { document, id, spec } = ADDRESS.exec(uri)?.groups ?? {};
      if (document !== undefined) return readDocument(context, uri, document, exchange);
      if (id === undefined) throw notFound('This resource was not found.');
      return readPage(context, uri, id, spec ? 'get_agent_spec' : 'get_page', exchange);
    },
  };
}

function documentResources(): Resource[] {
  return Object.entries(DOCUMENTS).map(([name, { title, about, type }]) => ({
    uri: DOCS + name,
    name,
    title,
    description: about,
    mimeType: type,
  }));
}

interface ListedPage {
  id: number;
  slug: string;
}

/** Names and descriptions of pages are not ours, and a list has no place for a notice: only slugs are shown. */
function pageResources({ id, slug }: ListedPage): Resource[] {
  const uri = PAGES + id;
  return [
    { uri, name: slug, description: `The page at /p/${slug}.`, mimeType: 'text/plain' },
    {
      uri: `${uri}/agent-spec`,
      name: `${slug}/agent-spec`,
      description: `What the page at /p/${slug} says about itself to agents.`,
      mimeType: 'text/plain',
    },
  ];
}

async function listPages(
  { tools, callTool }: ResourceContext,
  offset: number,
  exchange: Exchange<ToolCaller>,
) {
  const tool = tools.get('list_pages');
  if (!tool || !exchange.caller.actor.scopes.includes('pages:read')) return { pages: [], hasMore: false };
  const { structured } = await callTool(tool, { limit: PAGES_PER_PART, offset }, quiet(exchange));
  const { data, failure } = structured;
  if (failure) throw new AppError('UNAVAILABLE', '{message}', { message: String(failure.error) });
  const { pages, total } = data as { pages: ListedPage[]; total: number };
  return { pages, hasMore: offset + PAGES_PER_PART < total };
}

async function readPage(
  { tools, callTool }: ResourceContext,
  uri: string,
  id: string,
  name: string,
  exchange: Exchange<ToolCaller>,
): Promise<ReadResourceResult> {
  const tool = tools.get(name);
  if (!tool) throw notFound('This resource was not found.');
  const { text, structured } = await callTool(tool, { id }, { ...quiet(exchange), tokens: PAGE_TOKENS });
  const { failure } = structured;
  if (failure?.status === 404) throw notFound('This resource was not found.');
  if (failure)
    throw new AppError('BAD_REQUEST', '{message}', {
      message: `${failure.error} ${failure.next ?? ''}`.trim(),
    });
  return { contents: [{ uri, mimeType: 'text/plain', text }] };
}

async function readDocument(
  { baseUrl, call }: ResourceContext,
  uri: string,
  name: string,
  { caller, signal }: Exchange<ToolCaller>,
): Promise<ReadResourceResult> {
  const document = Object.hasOwn(DOCUMENTS, name) ? DOCUMENTS[name] : undefined;
  if (!document) throw notFound('This resource was not found.');
  const { address, requestId } = caller;
  const response = await call(new Request(baseUrl + document.path, { signal }), { address, requestId });
  if (!response.ok) throw notFound('This resource was not found.');
  return { contents: [{ uri, mimeType: document.type, text: await response.text() }] };
}

/** An exchange without progress, which resources do not have, and with results of any length. */
const quiet = ({ caller, signal }: Exchange<ToolCaller>) => ({
  caller,
  signal,
  progress: undefined,
  tokens: Number.POSITIVE_INFINITY,
});
