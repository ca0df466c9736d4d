import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { binary, idParams } from '../fields.ts';
import { PublishedPage } from '../pages/pages.ts';
import {
  PageSamples,
  PublishTemplate,
  RemovedSamples,
  Template,
  TemplateList,
  TemplateQuery,
} from './templates.ts';

const ofTemplate = z.object({ key: z.string() });

export const TEMPLATES_PATH = '/api/templates';

export const templateEndpoints = endpoints({
  listTemplates: endpoint({
    method: 'GET',
    path: TEMPLATES_PATH,
    access: { kind: 'public' },
    summary: 'List pages to start from',
    query: TemplateQuery,
    response: TemplateList,
  }),
  getTemplate: endpoint({
    method: 'GET',
    path: `${TEMPLATES_PATH}/:key`,
    access: { kind: 'public' },
    summary: 'Read a template: its document, function, schemas and agent spec',
    params: ofTemplate,
    query: TemplateQuery,
    response: Template,
  }),
  publishTemplate: endpoint({
    method: 'POST',
    path: `${TEMPLATES_PATH}/:key/pages`,
    failures: ['DEPLOY_FAILED', 'NOT_FOUND', 'QUOTA_EXCEEDED', 'RATE_LIMITED', 'SLUG_TAKEN', 'UNAVAILABLE'],
    access: { kind: 'management', scope: 'pages:write' },
    changes: 'new',
    summary:
      'Make a page from a template, with its function, schemas, agent spec and samples: all of it, or nothing',
    params: ofTemplate,
    body: PublishTemplate,
    status: 201,
    response: PublishedPage,
  }),
  getSamples: endpoint({
    method: 'GET',
    path: '/api/pages/:id/samples',
    access: { kind: 'management', scope: 'pages:read' },
    summary: 'Whether a page still has the samples of its template',
    params: idParams,
    response: PageSamples,
  }),
  removeSamples: endpoint({
    method: 'DELETE',
    path: '/api/pages/:id/samples',
    access: { kind: 'management', scope: 'pages:write' },
    summary:
      'Remove the samples of a page, without those that somebody has changed, and those that only others may remove',
    params: idParams,
    response: RemovedSamples,
  }),
  getTemplatePicture: endpoint({
    method: 'GET',
    path: `${TEMPLATES_PATH}/:key/picture`,
    answers: [{ status: 200, description: 'The picture.', type: 'image/webp', schema: binary }],
    access: { kind: 'public' },
    summary: 'A picture of a template',
    params: ofTemplate,
    // `v` changes the address whenever the picture changes.
    query: TemplateQuery.extend({ v: z.string().max(40).optional() }),
  }),
});
