import type { KeptContext, ReportedVisit } from '../../../../contract/analytics/visits.ts';
import { MAX_VISIT_BYTES } from '../../../../contract/analytics/visits.ts';
import type { CheckStep, StepElement } from '../../../../contract/checks/steps.ts';

/** Takes people out of what led to an error. What the author wrote stays, and of everything else only its shape. */

/** Levels of a body that are looked at. */
const MAX_DEPTH = 8;
const MAX_NAME = 200;
/** Places in the source that are looked at for one text. */
const MAX_LOOKS = 200;

/** Whether a text stands in the page as it is, and not inside of a longer word. */
function isOfAuthor(text: string, source: string): boolean {
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
export const hideText = (text: string, source: string) =>
  text === '' || isOfAuthor(text, source) ? text : toShape(text);

/** The steps of a visit. The name of an element that the author did not write is left out, so its role finds it. */
export function hideSteps(steps: ReportedVisit['steps'], source: string): CheckStep[] {
  return steps.flatMap((step) => {
    const hidden: CheckStep = {
      ...(step.click && { click: hideElement(step.click, source) }),
      ...(step.type && { type: hideElement(step.type, source) }),
      ...(step.select && { select: hideElement(step.select, source) }),
      ...(step.press !== undefined && { press: step.press }),
    };
    const isEmpty = hidden.click && Object.keys(hidden.click).length === 0;
    return isEmpty || Object.keys(hidden).length === 0 ? [] : [hidden];
  });
}

function hideElement({ role, name = '', text }: StepElement, source: string): StepElement {
  const isKnown = name !== '' && isOfAuthor(name, source);
  return {
    ...(role !== undefined && { role: role.slice(0, MAX_NAME) }),
    ...(isKnown && { name }),
    ...(text !== undefined && { text: hideText(text, source) }),
  };
}

/** The body of a call: its names, numbers and structure stay. Undefined if it is not JSON. */
export function hideBody(body: string, source: string): string | undefined {
  if (body === '') return body;
  try {
    return JSON.stringify(hideValue(JSON.parse(body), source, 0));
  } catch {
    return undefined;
  }
}

function hideValue(value: unknown, source: string, depth: number): unknown {
  if (typeof value === 'string') return hideText(value, source);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => hideValue(each, source, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      isOfAuthor(name, source) ? name : toShape(name),
      hideValue(each, source, depth + 1),
    ]),
  );
}

/** What is stored; null if it would be too much. */
export function toStored(context: KeptContext): string | null {
  const text = JSON.stringify(context).toWellFormed().replaceAll('\\u0000', ' ');
  return Buffer.byteLength(text) <= MAX_VISIT_BYTES ? text : null;
}
