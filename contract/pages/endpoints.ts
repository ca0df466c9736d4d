import { endpoint, endpoints } from '../endpoint.ts';
import { ErrorBody } from '../error-body.ts';
import { binary, Done, idOrSlugParams, idParams, NoFields } from '../fields.ts';
import { GivenPassword, Pass, RenewedSession, Visitor } from './access.ts';
import { GalleryList, GalleryQuery } from './gallery.ts';
import { BeforeQuery, MESSAGE_BODY_LIMIT, MessageBody, MessageList, MessageResponse } from './messages.ts';
import { OldSlugList, oldSlugParams } from './old-slugs.ts';
import { pictureParams } from './page-picture.ts';
import {
  CreatedPage,
  CreatePage,
  ListQuery,
  LookupQuery,
  LookupRecord,
  PAGE_BODY_LIMIT,
  PageList,
  PageWithExtras,
  PatchedPage,
  PatchPage,
  PublishedPage,
} from './pages.ts';
import { PreviewSession, PreviewWish } from './previews.ts';
import { SharedPageList, SharedPagesQuery } from './shared-pages.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

export const pageEndpoints = endpoints({
  createPage: endpoint({
    method: 'POST',
    path: '/api/pages',
    failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
    access: WRITE,
    summary: 'Publish a page',
    body: CreatePage,
    bodyLimit: PAGE_BODY_LIMIT,
    status: 201,
    response: PublishedPage,
  }),
  listPages: endpoint({
    method: 'GET',
    path: '/api/pages',
    access: READ,
    summary: 'List your pages',
    query: ListQuery,
    response: PageList,
  }),
  listSharedPages: endpoint({
    method: 'GET',
    path: '/api/pages/shared',
    access: READ,
    summary: 'List pages of other people whose team you are in, or that name you as one who can see them',
    query: SharedPagesQuery,
    response: SharedPageList,
  }),
  lookUpPage: endpoint({
    method: 'GET',
    path: '/api/pages/lookup',
    failures: ['NOT_FOUND'],
    access: READ,
    summary: 'Find a page by its slug',
    query: LookupQuery,
    response: LookupRecord,
  }),
  getPage: endpoint({
    method: 'GET',
    path: '/api/pages/:id',
    access: READ,
    summary:
      'Read a page with its document and the last 200 messages of its editing thread, or the 200 before one of them',
    params: idParams,
    query: BeforeQuery,
    response: PageWithExtras,
  }),
  updatePage: endpoint({
    method: 'PATCH',
    path: '/api/pages/:id',
    failures: ['INVALID_SLUG', 'QUOTA_EXCEEDED', 'SLUG_TAKEN', 'CONFLICT'],
    access: WRITE,
    summary: 'Change a page: all given fields, or none',
    params: idParams,
    body: PatchPage,
    bodyLimit: PAGE_BODY_LIMIT,
    response: PatchedPage,
  }),
  deletePage: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id',
    access: WRITE,
    summary: 'Delete a page and everything in it, for good',
    params: idParams,
    response: Done,
  }),
  forkPage: endpoint({
    method: 'POST',
    path: '/api/pages/:id/fork',
    failures: ['QUOTA_EXCEEDED'],
    access: { kind: 'owner', scope: 'pages:write' },
    summary: 'Make your own copy of a page, without its data',
    params: idParams,
    status: 201,
    body: NoFields,
    bodyOptional: true,
    response: CreatedPage,
  }),
  getPagePicture: endpoint({
    method: 'GET',
    path: '/pictures/:file',
    answers: [
      { status: 200, description: 'The picture.', type: 'image/webp', schema: binary, headers: ['ETag'] },
      { status: 302, description: 'There is a newer picture.', headers: ['Location'] },
      { status: 304, description: 'The picture is the one of the ETag in If-None-Match.' },
    ],
    access: { kind: 'public' },
    summary: 'The picture of a page that everyone can see',
    params: pictureParams,
  }),
  listOldSlugs: endpoint({
    method: 'GET',
    path: '/api/pages/:id/slugs',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'The slugs that a page had before. They redirect to it, and are reserved for its owner',
    params: idParams,
    response: OldSlugList,
  }),
  giveUpSlug: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/slugs/:slug',
    access: { kind: 'management', scope: 'pages:write' },
    summary: 'Give up a slug that a page had before: it no longer redirects, and anyone can use it',
    params: oldSlugParams,
    response: Done,
  }),
  getVisitor: endpoint({
    method: 'GET',
    path: '/api/pages/:id/visitor',
    access: { kind: 'visitor or guest' },
    summary: "Who looks at the page, and what they are on its team; null when the visitor isn't logged in",
    params: idOrSlugParams,
    response: Visitor,
  }),
  renewPageSession: endpoint({
    method: 'POST',
    path: '/api/pages/:id/page-session',
    access: { kind: 'visitor' },
    summary: "Renew a visitor's page session while the login lives",
    params: idOrSlugParams,
    response: RenewedSession,
  }),
  listPageMessages: endpoint({
    method: 'GET',
    path: '/api/pages/:id/messages',
    access: READ,
    summary: "Read the page's editing thread: its last 200 messages, or the 200 before one of them",
    params: idParams,
    query: BeforeQuery,
    response: MessageList,
  }),
  addPageMessage: endpoint({
    method: 'POST',
    path: '/api/pages/:id/messages',
    failures: ['QUOTA_EXCEEDED'],
    access: WRITE,
    summary: "Add a message to the page's editing thread",
    params: idParams,
    body: MessageBody,
    bodyLimit: MESSAGE_BODY_LIMIT,
    status: 201,
    response: MessageResponse,
  }),
  listGallery: endpoint({
    method: 'GET',
    path: '/api/gallery',
    access: { kind: 'public' },
    summary: 'The pages that their owners show to everyone, the newest first',
    query: GalleryQuery,
    response: GalleryList,
  }),
  givePagePassword: endpoint({
    method: 'POST',
    path: '/api/pages/:id/pass',
    access: { kind: 'visitor or guest' },
    summary: 'Give the password of a page, for a pass to send in the header X-Page-Pass',
    params: idOrSlugParams,
    body: GivenPassword,
    acceptsForm: true,
    failures: ['CONFLICT'],
    response: Pass,
    answers: [
      {
        status: 303,
        description: 'A browser sent a form: the pass is in a cookie.',
        headers: ['Location'],
      },
      { status: 403, description: 'The password is wrong.', schema: ErrorBody },
      { status: 403, description: 'A browser sent a form: the screen that asks again.', type: 'text/html' },
    ],
  }),
  createPreviewSession: endpoint({
    method: 'POST',
    path: '/api/pages/:id/preview-session',
    access: { kind: 'management', scope: 'pages:write' },
    summary:
      'A page session for the preview in the dashboard: you as a visitor, with your role or a lower one',
    params: idParams,
    body: PreviewWish,
    response: PreviewSession,
  }),
});
