import type { Language } from '../../../contract/rules/texts/languages.ts';
import { templateEndpoints } from '../../../contract/templates/endpoints.ts';
import type { Template, TemplateSummary } from '../../../contract/templates/templates.ts';
import { notFound } from '../../lib/errors.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { fillShelf, type TemplateShelf } from './shelf.ts';

/** The templates, read when they are first needed. */
export function createTemplates(): () => TemplateShelf {
  let shelf: TemplateShelf | undefined;
  return () => {
    shelf ??= fillShelf();
    return shelf;
  };
}

export function requireTemplate(shelf: TemplateShelf, key: string, language: Language): Template {
  const template = shelf.templates[language].get(key);
  if (!template) throw notFound('This template was not found.');
  return template;
}

/** Templates are part of the program, so everyone can read them. */
export function templateRoutes(shelf: () => TemplateShelf): Route[] {
  return [
    handle(templateEndpoints.listTemplates, async ({ query }) => ({
      templates: [...shelf().templates[query.language].values()].map(summarize),
    })),
    handle(templateEndpoints.getTemplate, async ({ params, query }) =>
      requireTemplate(shelf(), params.key, query.language),
    ),
    handle(templateEndpoints.getTemplatePicture, async ({ params, query }) => {
      const picture = shelf().pictures[query.language].get(params.key);
      if (!picture) throw notFound('This picture was not found.');
      return new Response(picture.bytes, {
        headers: {
          'content-type': 'image/webp',
          'cache-control': 'public, max-age=31536000, immutable',
          'x-content-type-options': 'nosniff',
        },
      });
    }),
  ];
}

function summarize(template: Template): TemplateSummary {
  const { key, title, description, category, storage_mode, parts, picture, needs_packages } = template;
  return { key, title, description, category, storage_mode, parts, picture, needs_packages };
}
