import { z } from 'zod';
import type { Endpoint } from '../../../../../contract/endpoint.ts';
import { AppError, badRequest } from '../../../../lib/errors.ts';
import { DOCUMENTS } from '../documents.ts';
import type { Api, Definition } from './definition.ts';

/** The documentation is part of the service, but not of its API. */
const search: Endpoint = {
  method: 'GET',
  path: '/docs/results.json',
  access: { kind: 'public' },
  summary: 'Search the documentation',
  query: z.object({ q: z.string().optional() }),
};
const read: Endpoint = {
  method: 'GET',
  path: '/:path',
  access: { kind: 'public' },
  summary: 'Read a document',
};

/** Documents that are too long for a model. */
const TOO_LONG = new Set(['openapi.json']);
/** Characters of the section that a search returns in full. */
const MAX_BEST = 4_000;
/** The guides that agents read, by name. */
export const GUIDES = Object.fromEntries(Object.entries(DOCUMENTS).filter(([name]) => !TOO_LONG.has(name)));

interface Found {
  href: string;
  title: string;
  heading: string;
  excerpt: { text: string }[];
}

/** The tool that finds and reads the documentation. */
export const docsTool: Definition = {
  group: 'all',
  name: 'read_docs',
  title: 'Read the documentation',
  description:
    'With query: finds what the guides to Quire say about something, the best short section in full. With name: returns a guide, or its section with this heading. llms.txt explains the most important things.',
  effect: 'read',
  endpoints: [{ endpoint: search }],
  input: {
    query: { type: 'string' },
    name: { enum: Object.keys(GUIDES) },
    section: { type: 'string' },
  },
  work: {
    required: [],
    run: ({ query, name, section }, api) =>
      name === undefined ? findPassages(query, api) : readGuide(name, section, api),
  },
};

async function findPassages(query: unknown, api: Api): Promise<Response> {
  if (typeof query !== 'string' || query.trim() === '')
    throw badRequest([{ path: 'query', message: 'or name is required' }]);
  const response = await api.request(search, { query: { q: query } });
  if (!response.ok) return response;
  const { results } = (await response.json()) as { results: Found[] };
  const found = results
    .map(({ href, title, heading, excerpt }) => ({
      name: href.replace(/^\/docs\//, '').replace(/#.*$/, ''),
      title,
      ...(heading !== '' && { section: heading }),
      text: excerpt.map(({ text }) => text).join(''),
    }))
    .filter(({ name }) => Object.hasOwn(GUIDES, name));
  for (const each of found) {
    const text = each.section && (await readShortSection(each.name, each.section, api));
    if (text)
      return Response.json({ results: [{ ...each, text }, ...found.filter((other) => other !== each)] });
  }
  return Response.json({ results: found });
}

/** A section that is short enough to be read although nobody asked for it. */
async function readShortSection(name: string, section: string, api: Api): Promise<string | undefined> {
  const response = await requestGuide(name, api);
  const found = response.ok ? findSection(await response.text(), section) : undefined;
  return found !== undefined && found.length <= MAX_BEST ? found : undefined;
}

async function readGuide(name: unknown, section: unknown, api: Api): Promise<Response> {
  const response = await requestGuide(name, api);
  if (!response.ok) return response;
  const text = await response.text();
  return Response.json({ name, text: section === undefined ? text : takeSection(text, section) });
}

function requestGuide(name: unknown, api: Api): Promise<Response> {
  const guide = typeof name === 'string' && Object.hasOwn(GUIDES, name) ? GUIDES[name] : undefined;
  if (!guide)
    throw badRequest([{ path: 'name', message: `must be one of ${Object.keys(GUIDES).join(', ')}` }]);
  return api.request({ ...read, path: guide.path }, {});
}

function takeSection(text: string, section: unknown): string {
  const found = findSection(text, section);
  if (found !== undefined) return found;
  throw new AppError('BAD_REQUEST', 'section: is not in this guide. It has {headings}.', {
    headings: splitAtHeadings(text)
      .map((part) => headingIn(part).text)
      .filter(Boolean)
      .join(', '),
  });
}

const splitAtHeadings = (text: string) => text.split(/^(?=#{1,6} )/m);

/** The section of a document with this heading, up to the next one of its level. */
function findSection(text: string, section: unknown): string | undefined {
  const parts = splitAtHeadings(text);
  const isNamed = (part: string) =>
    headingIn(part).text.toLowerCase() === String(section).trim().toLowerCase();
  const first = parts.findIndex(isNamed);
  if (first < 0) return undefined;
  const { level } = headingIn(parts[first] ?? '');
  const next = parts.findIndex((part, at) => at > first && headingIn(part).level <= level);
  return parts.slice(first, next < 0 ? undefined : next).join('');
}

function headingIn(part: string): { level: number; text: string } {
  const [, marks = '', text = ''] = /^(#{1,6}) (.*)/.exec(part) ?? [];
  return { level: marks.length || 7, text: text.trim() };
}
