import type { StepElement } from '../../../../../contract/checks/steps.ts';
import type { Params } from '../pipe.ts';
import { readList, readNumber, readObject, readText } from '../values.ts';

/** Finds elements by their role and name, as the browser gives them to screen readers. A page cannot change that code. */

/** An element that people can find. */
export interface Found {
  /** The browser's own id of the element. */
  id: number;
  role: string;
  name: string;
  isDisabled: boolean;
  /** Whether it takes text. */
  isEditable: boolean;
}

/** Sends a command to the page, and fails if it takes too long. */
export type SendToPage = (method: string, params: Params) => Promise<Params>;

const MAX_NAME = 80;
/** The elements that a failed step names. */
const MAX_NAMED = 12;

/** Roles that the browser calls differently. */
const OTHER_NAMES: Record<string, string> = { img: 'image', text: 'statictext' };
/** The roles of elements that people use, which count before others with the same name. */
const USED = new Set(
  `button link textbox searchbox checkbox radio combobox listbox option switch slider spinbutton tab menuitem
  menuitemcheckbox menuitemradio treeitem gridcell date datetime inputtime colorwell disclosuretriangle`.split(
    /\s+/,
  ),
);
/** Roles that take text, although the browser does not call them editable. */
const TYPED = new Set(['date', 'datetime', 'inputtime', 'colorwell', 'slider', 'spinbutton']);

/** All elements that are not hidden, in the order of the document. */
export async function listElements(send: SendToPage, contextId: unknown): Promise<Found[]> {
  const { result } = await send('Runtime.evaluate', { expression: 'document', contextId });
  const { objectId } = readObject(result);
  const { nodes } = await send('Accessibility.queryAXTree', { objectId });
  return readList(nodes).flatMap(readElement);
}

function readElement(node: Params): Found[] {
  const id = readNumber(node.backendDOMNodeId);
  if (node.ignored === true || id === undefined) return [];
  const role = readText(readObject(node.role).value, MAX_NAME);
  const properties = new Map(
    readList(node.properties).map(({ name, value }) => [readText(name), readObject(value).value]),
  );
  return [
    {
      id,
      role,
      name: flatten(readText(readObject(node.name).value)),
      isDisabled: properties.get('disabled') === true,
      isEditable: properties.has('editable') || TYPED.has(role.toLowerCase()),
    },
  ];
}

/** The element that a step means: with the whole name before a part of it, and what people use before texts. */
export function chooseElement(elements: Found[], wanted: StepElement): Found | undefined {
  const { role, name = '' } = wanted;
  const sought = flatten(name).toLowerCase();
  const rank = (element: Found) => {
    const given = element.name.toLowerCase();
    const likeness = given === sought ? 0 : given.includes(sought) ? 1 : undefined;
    if (likeness === undefined || (role !== undefined && !hasRole(element, role))) return undefined;
    return likeness + (role !== undefined || USED.has(element.role.toLowerCase()) ? 0 : 2);
  };
  let best: { element: Found; rank: number } | undefined;
  for (const element of elements) {
    const at = rank(element);
    if (at !== undefined && (!best || at < best.rank)) best = { element, rank: at };
  }
  return best?.element;
}

/** Says that an element is missing, and what is there instead. */
export function sayMissing(elements: Found[], { role, name }: StepElement): string {
  const what = `${role ?? 'element'}${name === undefined ? '' : ` named ${JSON.stringify(name)}`}`;
  const same = role === undefined ? [] : elements.filter((each) => hasRole(each, role));
  const others = same.length > 0 ? same : elements.filter((each) => USED.has(each.role.toLowerCase()));
  const names = [...new Set(others.map((each) => sayElement(each, same.length > 0)))];
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  const there =
    names.length === 0
      ? 'There is nothing to click or to fill in.'
      : `There is: ${names.slice(0, MAX_NAMED).join(', ')}${more}.`;
  return `There is no ${what}. ${there}`;
}

function sayElement({ role, name }: Found, isNameEnough: boolean): string {
  const shown = JSON.stringify(readText(name, MAX_NAME));
  return isNameEnough ? shown : `${role} ${shown}`;
}

function hasRole({ role }: Found, wanted: string): boolean {
  const name = wanted.toLowerCase();
  return role.toLowerCase() === (OTHER_NAMES[name] ?? name);
}

const flatten = (text: string) => text.replace(/\s+/g, ' ').trim();
