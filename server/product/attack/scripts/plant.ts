import { LEFT_REASONS } from '../../../../contract/attack/words.ts';
import type { CollectionSchema, FieldSchema } from '../../../../contract/data/collection-schema.ts';
import type { Text } from '../../../../contract/rules/texts/fill.ts';
import { isOk } from '../data-ways.ts';
import type { Tried } from '../send.ts';
import { Invention, isId, isPersonId } from '../source/invent.ts';
import { listLeaves, listTexts, type Parameters, replaceAt } from '../source/parameters.ts';
import { fitLinks, fitScripts, isAddress, mayHoldMarkup, type Script, type TextRules } from './scripts.ts';

const MAX_PLACES = 40;

/** A text that somebody can store, in a body. */
export interface Place {
  path: string[];
  text: string;
  rules: TextRules;
}

/** Something that takes a body, in which it may store scripts. */
export interface Soil {
  /** The collection or function. */
  name: string;
  /** It is taken as it is. */
  body: Record<string, unknown>;
  places: Place[];
  mark: string;
  send(body: Record<string, unknown>): Promise<Tried>;
}

/** Stores scripts, and remembers which: all texts at once, and one at a time where that is refused. */
export class Planting {
  readonly planted: Array<Script & { name: string; request: string }> = [];
  /** Texts of links that run something when they are clicked. */
  readonly links: string[] = [];
  readonly left: Text[] = [];

  constructor(private readonly becomes: { isHtml: boolean; isLink: boolean }) {}

  async plant(soil: Soil): Promise<void> {
    const places = soil.places.slice(0, MAX_PLACES);
    if (this.becomes.isHtml) await this.#plantHtml({ ...soil, places });
    if (this.becomes.isLink) await this.#plantLinks({ ...soil, places });
  }

  async #plantHtml(soil: Soil): Promise<void> {
    const fitting = soil.places.map((place) => ({
      place,
      scripts: fitScripts(new Invention().mark, place.rules),
    }));
    // What the page writes itself, such as a state, can decide whether it shows the rest.
    const together = fitting.filter(
      ({ place, scripts }) => place.text.includes(soil.mark) && scripts.length > 0,
    );
    const first = together.flatMap(({ place, scripts: [script] }) => (script ? [{ place, script }] : []));
    const isTaken = first.length > 0 && (await this.#send(soil, first));
    for (const each of fitting) {
      if (isTaken && together.includes(each)) continue;
      if (await this.#plantAlone(soil, each)) continue;
      if (!mayHoldMarkup(each.place.text, each.place.rules)) continue;
      const name = `${soil.name}.${each.place.path.join('.')}`;
      this.left.push({ text: LEFT_REASONS.script.text, values: { name } });
    }
  }

  async #plantAlone(soil: Soil, { place, scripts }: { place: Place; scripts: Script[] }): Promise<boolean> {
    for (const script of scripts) if (await this.#send(soil, [{ place, script }])) return true;
    return false;
  }

  async #plantLinks(soil: Soil): Promise<void> {
    const { mark } = new Invention();
    const addresses = soil.places.flatMap((place) => {
      const [script] = isAddress(place.path.at(-1) ?? '') ? fitLinks(mark, place.rules) : [];
      return script ? [{ place, script }] : [];
    });
    if (addresses.length === 0) return;
    // The link is found by a text that no other record has.
    const { mark: text } = new Invention();
    const body = JSON.parse(JSON.stringify(soil.body).replaceAll(soil.mark, text));
    if (await this.#send({ ...soil, body }, addresses)) this.links.push(text);
  }

  async #send(soil: Soil, scripts: Array<{ place: Place; script: Script }>): Promise<boolean> {
    const body = scripts.reduce(
      (all, { place, script }) => replaceAt(all, place.path, script.text),
      soil.body,
    );
    const tried = await soil.send(body);
    if (!isOk(tried)) return false;
    for (const { script } of scripts)
      this.planted.push({ ...script, name: soil.name, request: tried.request });
    return true;
  }
}

/** The texts of a record that somebody can choose: no values of enums, and no dates. */
export function listRecordPlaces(
  data: Record<string, unknown>,
  schema: CollectionSchema | undefined,
): Place[] {
  return listTexts(data).flatMap(({ path, text }) => {
    const field = findField(schema?.fields ?? {}, path);
    if (field && field.type !== 'string') return [];
    return [{ path, text, rules: field ?? {} }];
  });
}

function findField(
  fields: Record<string, FieldSchema>,
  [name = '', ...rest]: string[],
): FieldSchema | undefined {
  let field = fields[name];
  for (const each of rest)
    if (field?.type === 'object') field = field.properties?.[each];
    else if (field?.type === 'array') field = field.items;
    else return undefined;
  return field;
}

/** The texts that a page sends to a function, and that are not written in the call. */
export function listCallPlaces(parameters: Parameters, body: Record<string, unknown>): Place[] {
  const texts = new Map(listTexts(body).map(({ path, text }) => [path.join('.'), text]));
  return listLeaves(parameters).flatMap(({ name, path, value }) => {
    const text = texts.get(path.join('.'));
    if (value !== undefined || text === undefined || isId(name) || isPersonId(name)) return [];
    return [{ path, text, rules: {} }];
  });
}
