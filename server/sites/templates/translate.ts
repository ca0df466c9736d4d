import type { Template } from '../../../contract/templates/templates.ts';

/** What the texts of a template say in another language. */
export type TemplateCatalog = Record<string, string>;

/** Translates all texts of a template that its catalog has. */
export function translateTemplate(template: Template, catalog: TemplateCatalog, language: string): Template {
  const say = createTranslate(catalog);
  const sayValue = (text: string) => catalog[text] ?? text;
  const own = template.function;
  return {
    ...template,
    description: sayValue(template.description),
    html_content: say(template.html_content).replace('lang="en"', `lang="${language}"`),
    function: own && {
      ...own,
      displayName: sayValue(own.displayName),
      description: sayValue(own.description),
      code: say(own.code),
      files: mapTexts(own.files, say),
    },
    samples: mapTexts(template.samples, sayValue),
    samples_sql: template.samples_sql && say(template.samples_sql),
    next: template.next.map(sayValue),
  };
}

/**
 * Replaces whole pieces of text only: what stands between `>` and `<`, or is a whole quoted string. A part of a sentence
 * or a name in code is never changed.
 */
export function createTranslate(catalog: TemplateCatalog): (text: string) => string {
  const keys = Object.keys(catalog).sort((a, b) => b.length - a.length);
  if (keys.length === 0) return (text) => text;
  // A text can be broken into lines anywhere.
  const any = keys.map((key) => RegExp.escape(key).replaceAll('\\x20', '\\s+')).join('|');
  const pieces = new RegExp(`(?<=>\\s*)(?:${any})(?=\\s*<)|(?<=(["'\`]))(?:${any})(?=\\1)`, 'g');
  return (text) => text.replace(pieces, (piece) => catalog[piece.replace(/\s+/g, ' ')] ?? piece);
}

/** Changes all texts in a value, but not the names of its fields. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTexts(item, change)])) as T;
}
