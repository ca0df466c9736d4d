import type { Language } from '../../../contract/rules/texts/languages.ts';
import type { TryQuery } from '../../../contract/templates/wishes.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { language } from '../../platform/http/index.ts';
import {
  nameWish,
  type ShownTemplate,
  showTemplate,
  sortByNearness,
  type TemplateShelf,
} from '../../sites/templates/index.ts';

/** What somebody gets for what they said. */
export interface Choice {
  template: ShownTemplate;
  name: string;
  /** Others that are near. */
  others: ShownTemplate[];
  wish: string;
}

const OTHERS = 3;

/** Finds the template and the name for what somebody said. There is always one. */
export function choose({ wish, template, name }: TryQuery, shelf: TemplateShelf): Choice {
  const { described } = shelf;
  const asked = described.find(({ key }) => key === template);
  const sorted = sortByNearness(wish || `${asked?.title} ${asked?.description}`, described);
  const chosen = asked ?? sorted[0];
  if (!chosen) throw new Error('there are no templates');
  const shown = showTemplate(chosen, shelf, language());
  const others = sorted.filter(({ key }) => key !== chosen.key).slice(0, OTHERS);
  return {
    template: shown,
    name: name || nameWish(wish) || shown.title,
    others: others.map((each) => showTemplate(each, shelf, language())),
    wish,
  };
}

/** What somebody tries. */
export interface Wanted {
  template: string;
  name: string;
  language: Language;
}

export const toWanted = ({ template, name }: Choice): Wanted => ({
  template: template.key,
  name,
  language: language(),
});

/** Names what is tried, without saying it. */
export const toMark = ({ template, name, language }: Wanted) =>
  hashSecret(`${template}\n${language}\n${name}`);
