import type { KeptContext, ReportedVisit } from '../../../../contract/analytics/visits.ts';
import { MAX_VISIT_BYTES } from '../../../../contract/analytics/visits.ts';
import type { CheckStep, StepElement } from '../../../../contract/checks/steps.ts';

/** Takes people out of what led to an error. What the author wrote stays, and of everything else only its shape. */

/** Levels of a body that are looked at. */
const MAX_DEPTH = 8;
const MAX_NAME = 200;
/** Places in the source that are looked at for one text. */
const MAX_LOOKS = 200;
/** Different texts that are looked for, because strangers decide how many there are. All others are hidden. */
const MAX_LOOKED_UP = 40;
/** A number with more digits can be that of a phone or a card. */
const MAX_DIGITS = 5;

/** Says whether the author of a page wrote a text. */
export type IsOfAuthor = (text: string) => boolean;

/** Looks in the source for the texts of one report. */
export function authorTexts(source: string): IsOfAuthor {
  const known = new Map<string, boolean>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.size >= MAX_LOOKED_UP) return before ?? false;
    const is = standsIn(text, source);
    known.set(text, is);
    return is;
  };
}

/** Whether a text stands in the page as it is, and not inside of a longer word. */
function standsIn(text: string, source: string): boolean {
  let at = -1;
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    at = source.indexOf(text, at + 1);
    if (at < 0) return false;
    const around = source.charAt(at - 1) + source.charAt(at + text.length);
    if (!/[\p{L}\p{Nd}]/u.test(around)) return true;
  }
  return false;
}

const toShape = (text: string) =>
  text.replace(/[\p{L}\p{Nd}]/gu, (letter) => {
    if (/\p{Nd}/u.test(letter)) return '1';
    return /\p{Lu}/u.test(letter) ? 'X' : 'x';
  });

/** A text, if the author wrote it; otherwise as many letters and digits that say nothing. */
const hideText = (text: string, isOfAuthor: IsOfAuthor) =>
  text === '' || isOfAuthor(text) ? text : toShape(text);

/** The path of a page: the names of its files stay. Others can be those of people, or keys. */
export const hidePath = (path: string, isOfAuthor: IsOfAuthor) =>
  path
    .split('/')
    .map((part) => encodeURIComponent(hideText(decode(part), isOfAuthor)))
    .join('/');

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The steps of a visit. The name of an element that the author did not write is left out, so its role finds it. */
export function hideSteps(steps: ReportedVisit['steps'], isOfAuthor: IsOfAuthor): CheckStep[] {
  return steps.flatMap((step) => {
    const hidden: CheckStep = {
      ...(step.click && { click: hideElement(step.click, isOfAuthor) }),
      ...(step.type && { type: hideElement(step.type, isOfAuthor) }),
      ...(step.select && { select: hideElement(step.select, isOfAuthor) }),
      ...(step.press !== undefined && { press: step.press }),
    };
    const isEmpty = hidden.click && Object.keys(hidden.click).length === 0;
    return isEmpty || Object.keys(hidden).length === 0 ? [] : [hidden];
  });
}

function hideElement({ role, name = '', text }: StepElement, isOfAuthor: IsOfAuthor): StepElement {
  const isKnown = name !== '' && isOfAuthor(name);
  return {
    ...(role !== undefined && { role: role.slice(0, MAX_NAME) }),
    ...(isKnown && { name }),
    ...(text !== undefined && { text: hideText(text, isOfAuthor) }),
  };
}

/** The body of a call: its names, short numbers and structure stay. Undefined if it is not JSON. */
export function hideBody(body: string, isOfAuthor: IsOfAuthor): string | undefined {
  if (body === '') return body;
  try {
    return JSON.stringify(hideValue(JSON.parse(body), isOfAuthor, 0));
  } catch {
    return undefined;
  }
}

function hideValue(value: unknown, isOfAuthor: IsOfAuthor, depth: number): unknown {
  if (typeof value === 'string') return hideText(value, isOfAuthor);
  if (typeof value === 'number') return hideNumber(value, isOfAuthor);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => hideValue(each, isOfAuthor, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      isOfAuthor(name) ? name : toShape(name),
      hideValue(each, isOfAuthor, depth + 1),
    ]),
  );
}

function hideNumber(value: number, isOfAuthor: IsOfAuthor): number {
  const text = String(value);
  if (text.replace(/\D/g, '').length <= MAX_DIGITS || isOfAuthor(text)) return value;
  return Number(text.replace(/\d/g, '1'));
}

/** What is stored; null if it would be too much. */
export function toStored(context: KeptContext): string | null {
  const text = JSON.stringify(context).toWellFormed().replaceAll('\\u0000', ' ');
  return Buffer.byteLength(text) <= MAX_VISIT_BYTES ? text : null;
}
