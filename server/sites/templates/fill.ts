import type { Template } from '../../../contract/templates/templates.ts';
import { mapTexts } from './translate.ts';

/** Stands for the name of the page. */
export const NAME = '__NAME__';

const DAY = /^__TODAY(?:-(\d{1,3}))?__$/;

/** A text of a sample can be a day: `__TODAY__`, or `__TODAY-3__` for three days before. */
function fillDay(text: string): string {
  const found = DAY.exec(text);
  if (!found) return text;
  return new Date(Date.now() - Number(found[1] ?? 0) * 86_400_000).toISOString().slice(0, 10);
}

/** Puts the name of a page into its template, safely for HTML and SQL. The code of its function has no name in it. */
export function fillTemplate(template: Template, name: string): Template {
  const html = Bun.escapeHTML(name);
  const sql = name.replaceAll("'", "''");
  const own = template.function;
  return {
    ...template,
    function: own && { ...own, description: own.description.replaceAll(NAME, () => name) },
    html_content: template.html_content.replaceAll(NAME, () => html),
    samples: mapTexts(template.samples, (text) => fillDay(text.replaceAll(NAME, () => name))),
    samples_sql: template.samples_sql?.replaceAll(NAME, () => sql) ?? null,
  };
}
