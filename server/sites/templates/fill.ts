import type { Template } from '../../../contract/templates/templates.ts';
import { mapTexts } from './translate.ts';

/** Stands for the name of the page. */
export const NAME = '__NAME__';

/** Puts the name of a page into its template, safely for HTML and SQL. Code of functions has no name in it. */
export function fillTemplate(template: Template, name: string): Template {
  const html = Bun.escapeHTML(name);
  const sql = name.replaceAll("'", "''");
  return {
    ...template,
    html_content: template.html_content.replaceAll(NAME, () => html),
    samples: mapTexts(template.samples, (text) => text.replaceAll(NAME, () => name)),
    samples_sql: template.samples_sql?.replaceAll(NAME, () => sql) ?? null,
  };
}
