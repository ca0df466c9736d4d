import type { Catalog } from '../../../contract/rules/texts/fill.ts';
import type { Language } from '../../../contract/rules/texts/languages.ts';
import { readCatalog } from '../screens/index.ts';
import type { Described } from './nearest.ts';
import type { TemplateShelf } from './shelf.ts';

/** A template as screens show it. */
export interface ShownTemplate {
  key: string;
  title: string;
  description: string;
  /** The URL of its picture. */
  picture: string | undefined;
}

const catalogs = new Map<Language, Catalog>();

/** Says the title and the description of a template, which the dashboard says too. */
export function showTemplate(
  { key, title, description }: Described,
  { templates }: Pick<TemplateShelf, 'templates'>,
  language: Language,
): ShownTemplate {
  let catalog = catalogs.get(language);
  if (!catalog) {
    catalog = readCatalog(language, ['dashboard']);
    catalogs.set(language, catalog);
  }
  const say = (text: string) => {
    const said = catalog[text];
    return typeof said === 'string' ? said : text;
  };
  const picture = templates[language].get(key)?.picture ?? undefined;
  return { key, title: say(title), description: say(description), picture };
}
