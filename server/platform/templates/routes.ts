import { z } from 'zod';
import { binary } from '../../../contract/fields.ts';
import { Template, TemplateList, type TemplateSummary } from '../../../contract/templates/templates.ts';
import { notFound } from '../../lib/errors.ts';
import { type Route, route } from '../http/index.ts';
import { fillShelf, TEMPLATES_PATH, type TemplateShelf } from './shelf.ts';

const ofTemplate = z.object({ key: z.string() });

/** The templates, read when they are first needed. */
export function createTemplates(): () => TemplateShelf {
  let shelf: TemplateShelf | undefined;
  return () => {
    shelf ??= fillShelf();
    return shelf;
  };
}

/** Templates are part of the program, so everyone can read them. */
export function templateRoutes(shelf: () => TemplateShelf): Route[] {
  return [
    route({
      method: 'GET',
      path: TEMPLATES_PATH,
      operationId: 'listTemplates',
      access: { kind: 'public' },
      summary: 'List pages to start from',
      response: TemplateList,
      handle: async () => ({ templates: [...shelf().templates.values()].map(summarize) }),
    }),
    route({
      method: 'GET',
      path: `${TEMPLATES_PATH}/:key`,
      operationId: 'getTemplate',
      access: { kind: 'public' },
      summary: 'Read a template: its document, function, schemas and agent spec',
      params: ofTemplate,
      response: Template,
      async handle({ params }) {
        const template = shelf().templates.get(params.key);
        if (!template) throw notFound('This template');
        return template;
      },
    }),
    route({
      method: 'GET',
      path: `${TEMPLATES_PATH}/:key/picture`,
      operationId: 'getTemplatePicture',
      answers: [{ status: 200, description: 'The picture.', type: 'image/webp', schema: binary }],
      access: { kind: 'public' },
      summary: 'A picture of a template',
      params: ofTemplate,
      // Its address changes with it.
      query: z.object({ v: z.string().max(40).optional() }),
      async handle({ params }) {
        const picture = shelf().pictures.get(params.key);
        if (!picture) throw notFound('This picture');
        return new Response(picture.bytes, {
          headers: {
            'content-type': 'image/webp',
            'cache-control': 'public, max-age=31536000, immutable',
            'x-content-type-options': 'nosniff',
          },
        });
      },
    }),
  ];
}

function summarize(template: Template): TemplateSummary {
  const { key, title, description, category, storage_mode, parts, picture, needs_packages } = template;
  return { key, title, description, category, storage_mode, parts, picture, needs_packages };
}
