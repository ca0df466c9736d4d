import { type Catalog, countsIn, ENGLISH, type Translation } from '../../contract/rules/texts/fill.ts';
import { LANGUAGES } from '../../contract/rules/texts/languages.ts';
import { placesIn } from './sentences.ts';

/** Languages that have catalogs. */
export const TRANSLATED = Object.keys(LANGUAGES).filter((language) => language !== 'en');

/** Translations that do not fit their texts: with other values or elements, or without a form that the language needs. */
export function findMisfits(language: string, catalog: Catalog): string[] {
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions();
  const fits = (text: string, translation: Translation, counts: string[]): boolean => {
    if (typeof translation === 'string') return isForm(text, translation);
    const [count, ...others] = counts;
    if (count === undefined || pluralCategories.some((category) => !Object.hasOwn(translation, category)))
      return false;
    return Object.values(translation).every((form) => fits(text, form, others));
  };
  return Object.entries(catalog).flatMap(([text, translation]) =>
    fits(text, translation, countsIn(text)) ? [] : [text],
  );
}

/** Only what English has in one of its forms can be left out, as the number in "one page". */
function isForm(text: string, form: string): boolean {
  const given = placesIn(form);
  const forms = [1, 2].map((value) =>
    placesIn(ENGLISH.find(text, Object.fromEntries(countsIn(text).map((name) => [name, value])))),
  );
  return (
    form.trim() !== '' &&
    !form.includes('|') &&
    given.every((name) => placesIn(text).includes(name)) &&
    (forms[0] ?? []).every(
      (name) => given.includes(name) || !forms[1]?.includes(name) || counts(text, name),
    ) &&
    elementsIn(text) === elementsIn(form)
  );
}

const counts = (text: string, name: string) => countsIn(text).includes(name);

const elementsIn = (text: string) => (text.match(/<[^>]+>/g) ?? []).sort().join();
