import { z } from 'zod';
import { endpoint, endpoints } from '../endpoint.ts';
import { binary } from '../fields.ts';
import { Template, TemplateList } from './templates.ts';

const ofTemplate = z.object({ key: z.string() });

export const TEMPLATES_PATH = '/api/templates';

export const templateEndpoints = endpoints({
  listTemplates: endpoint({
    method: 'GET',
    path: TEMPLATES_PATH,
    access: { kind: 'public' },
    summary: 'List pages to start from',
    response: TemplateList,
  }),
  getTemplate: endpoint({
    method: 'GET',
    path: `${TEMPLATES_PATH}/:key`,
    access: { kind: 'public' },
    summary: 'Read a template: its document, function, schemas and agent spec',
    params: ofTemplate,
    response: Template,
  }),
  getTemplatePicture: endpoint({
    method: 'GET',
    path: `${TEMPLATES_PATH}/:key/picture`,
    answers: [{ status: 200, description: 'The picture.', type: 'image/webp', schema: binary }],
    access: { kind: 'public' },
    summary: 'A picture of a template',
    params: ofTemplate,
    // `v` changes the address whenever the picture changes.
    query: z.object({ v: z.string().max(40).optional() }),
  }),
});
