import { z } from 'zod';
import { endpoint, endpoints, type ResponseSpec } from '../endpoint.ts';
import { ErrorBody } from '../error-body.ts';
import { binary } from '../fields.ts';
import { CacheHeaders, FileHeaders } from '../service.ts';

/** For people who cannot see the page: a screen where they can log in or give the password, or an error. */
const CLOSED: ResponseSpec[] = [
  { status: 403, description: 'The page is closed to you: a screen,', type: 'text/html' },
  { status: 403, description: 'or the error, if Accept does not ask for HTML.', schema: ErrorBody },
  { status: 451, description: 'An administrator has taken the page down: a screen,', type: 'text/html' },
  { status: 451, description: 'or the error, if Accept does not ask for HTML.', schema: ErrorBody },
];

/** Published pages and their files. They are served without a route; this is for the API reference. */
export const servedEndpoints = endpoints({
  viewPage: endpoint({
    method: 'GET',
    path: '/p/:slug',
    access: { kind: 'served page' },
    summary: 'A published page',
    params: z.object({ slug: z.string().meta({ maxLength: 100 }) }),
    headers: CacheHeaders,
    answers: [
      { status: 200, description: 'The document.', type: 'text/html', headers: ['ETag'] },
      { status: 200, description: 'Its text, if Accept asks for it.', type: 'text/markdown' },
      { status: 301, description: 'The page has another slug now.', headers: ['Location'] },
      { status: 302, description: 'The page is on a host of its own.', headers: ['Location'] },
      { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
      ...CLOSED,
    ],
  }),
  describePage: endpoint({
    method: 'GET',
    path: '/p/:slug/llms.txt',
    access: { kind: 'served page' },
    summary: 'What a published page is and how an agent uses it',
    params: z.object({ slug: z.string().meta({ maxLength: 100 }) }),
    headers: CacheHeaders,
    answers: [
      { status: 200, description: 'Markdown.', type: 'text/plain', headers: ['ETag'] },
      { status: 301, description: 'The page has another slug now.', headers: ['Location'] },
      { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
      ...CLOSED,
    ],
  }),
  viewPreview: endpoint({
    method: 'GET',
    path: '/p/:slug/~preview/:token/*path',
    access: { kind: 'served page' },
    summary: 'A draft or a version of a page and its files, for anyone with its preview_url',
    params: z.object({
      slug: z.string().meta({ maxLength: 100 }),
      token: z.string().meta({ maxLength: 1_000 }),
      path: z.string().meta({ description: 'Empty, or the path of a file.', maxLength: 1_000 }),
    }),
    headers: FileHeaders,
    answers: [
      { status: 200, description: 'The document, or the bytes.', type: '*/*', schema: binary },
      { status: 206, description: 'The part that Range asks for.', type: '*/*', schema: binary },
      {
        status: 302,
        description: 'The page has another slug now, or it is a folder.',
        headers: ['Location'],
      },
      { status: 304, description: 'You have this version.' },
      ...CLOSED,
      { status: 416, description: 'The file ends before the part that Range asks for.' },
    ],
  }),
  viewPageFile: endpoint({
    method: 'GET',
    path: '/p/:slug/*path',
    access: { kind: 'served page' },
    summary: 'A file of a published page',
    params: z.object({
      slug: z.string().meta({ maxLength: 100 }),
      path: z
        .string()
        .meta({ description: 'The path of the file, such as `images/cat.png`.', maxLength: 1_000 }),
    }),
    headers: FileHeaders,
    answers: [
      {
        status: 200,
        description: 'The bytes, or a rendered document.',
        type: '*/*',
        schema: binary,
        headers: ['ETag'],
      },
      {
        status: 206,
        description: 'The part that Range asks for.',
        type: '*/*',
        schema: binary,
        headers: ['ETag', 'Content-Range'],
      },
      {
        status: 301,
        description: 'The page has another slug now, or it is a folder.',
        headers: ['Location'],
      },
      { status: 302, description: 'The page is on a host of its own.', headers: ['Location'] },
      { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
      ...CLOSED,
      {
        status: 416,
        description: 'The file ends before the part that Range asks for.',
        headers: ['Content-Range'],
      },
    ],
  }),
});
