import { type CheckStep, STEP_ACTIONS, type StepElement } from '../../../../../contract/checks/steps.ts';
import { readObject, readText } from '../values.ts';
import { chooseElement, type Found, listElements, type SendToPage, sayMissing } from './elements.ts';
import { chooseOption, locate, type Prepared, prepareField, type Spot, visibleText } from './in-page.ts';
import { findKey, KEY_NAMES } from './keys.ts';

/** A step that cannot be done, with the reason. */
export class StepFailed extends Error {}

/** Not yet: what a step needs is not there. It is tried again until its time is up. */
class NotYet extends StepFailed {}

const LOOK_EVERY_MS = 100;
/** Characters of the page that are searched, and those that a failed step quotes. */
const MAX_SEARCHED = 200_000;
const MAX_QUOTED = 300;

/** What a step needs of the tab that it is done in. */
export interface StepTab {
  send: SendToPage;
  /** A world beside that of the page's scripts. */
  makeWorld(): Promise<unknown>;
  /** Fails if the tab has left the site. */
  assertOnSite(): void;
}

/** Does a step, as soon as what it needs is there. */
export async function doStep(tab: StepTab, step: CheckStep, endsAt: number): Promise<void> {
  let reason: NotYet | undefined;
  for (;;) {
    try {
      tab.assertOnSite();
      return await tryStep(tab, step);
    } catch (error) {
      // A page that is being replaced refuses commands.
      const isFinal = error instanceof StepFailed && !(error instanceof NotYet);
      if (error instanceof NotYet) reason = error;
      // The last look can be cut short: then what the one before it saw says more.
      if (isFinal || Date.now() + LOOK_EVERY_MS >= endsAt) throw isFinal ? error : (reason ?? error);
    }
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

async function tryStep(tab: StepTab, step: CheckStep): Promise<void> {
  const { click, type, select, press, wait } = step;
  if (press !== undefined) return pressKey(tab, press);
  const world = await tab.makeWorld();
  if (wait) return waitFor(tab, world, wait);
  const element = click ?? type ?? select;
  if (!element) return;
  const found = await find(tab, world, toWanted(step), type !== undefined);
  if (click) return clickOn(tab, world, found);
  const text = element.text ?? '';
  return type ? typeInto(tab, world, found, text) : chooseFrom(tab, world, found, text);
}

/** To click on a text is to click on what is named so. */
const toWanted = ({ click, type, select }: CheckStep): StepElement =>
  click ? { ...click, name: click.name ?? click.text } : (type ?? select ?? {});

async function find(tab: StepTab, world: unknown, wanted: StepElement, isTyped: boolean): Promise<Found> {
  const all = await listOnSite(tab, world);
  const fields = isTyped && wanted.role === undefined ? all.filter(({ isEditable }) => isEditable) : all;
  const found = chooseElement(fields, wanted);
  if (!found) throw new NotYet(sayMissing(fields, isTyped ? { role: 'field', ...wanted } : wanted));
  if (found.isDisabled) throw new NotYet(`${say(found)} is disabled.`);
  return found;
}

/** The elements of the tab, unless it has left the site in the meantime. */
async function listOnSite(tab: StepTab, world: unknown): Promise<Found[]> {
  const all = await listElements(tab.send, world);
  tab.assertOnSite();
  return all;
}

async function waitFor(tab: StepTab, world: unknown, wanted: StepElement): Promise<void> {
  const { text, ...element } = wanted;
  const isElement = element.role !== undefined || element.name !== undefined;
  if (isElement) {
    const all = await listOnSite(tab, world);
    if (!chooseElement(all, element)) throw new NotYet(sayMissing(all, element));
  }
  if (text === undefined) return;
  const { result } = await tab.send('Runtime.evaluate', {
    expression: visibleText(MAX_SEARCHED),
    contextId: world,
    returnByValue: true,
  });
  tab.assertOnSite();
  const shown = readText(readObject(result).value, MAX_SEARCHED);
  if (shown.includes(text.replace(/\s+/g, ' ').trim())) return;
  const quoted = shown === '' ? 'It shows no text.' : `It shows: ${readText(shown, MAX_QUOTED)}`;
  throw new NotYet(`The page does not show ${JSON.stringify(text)}. ${quoted}`);
}

async function clickOn(tab: StepTab, world: unknown, found: Found): Promise<void> {
  const spot = (await callOn(tab, world, found, locate)) as Spot | undefined;
  if (!spot || 'hidden' in spot) throw new NotYet(`${say(found)} is not visible.`);
  if ('coveredBy' in spot)
    throw new NotYet(`${say(found)} is covered by ${readText(spot.coveredBy, MAX_QUOTED)}.`);
  const [x, y] = [Number(spot.x), Number(spot.y)];
  const at = { x, y, button: 'left', clickCount: 1 };
  await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...at });
  await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...at });
}

async function typeInto(tab: StepTab, world: unknown, found: Found, text: string): Promise<void> {
  const prepared = (await callOn(tab, world, found, prepareField, text)) as Prepared | undefined;
  if (prepared === 'refused') throw new NotYet(`${say(found)} does not take ${JSON.stringify(text)}.`);
  if (prepared === 'set') return;
  if (prepared !== 'ready')
    throw new StepFailed(`${say(found)} does not take text. Use click or select instead.`);
  if (text !== '') await tab.send('Input.insertText', { text });
  else await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', commands: ['deleteBackward'] });
}

async function chooseFrom(tab: StepTab, world: unknown, found: Found, text: string): Promise<void> {
  const chosen = await callOn(tab, world, found, chooseOption, text);
  if (typeof chosen !== 'object' || chosen === null)
    throw new StepFailed(`${say(found)} is not a select element. Click it, and then the option.`);
  const { options } = chosen as { options?: unknown };
  if (options === undefined) return;
  const names = (Array.isArray(options) ? options : []).map((each) => JSON.stringify(readText(each, 80)));
  throw new NotYet(`${say(found)} has no option ${JSON.stringify(text)}. It has: ${names.join(', ')}.`);
}

async function pressKey(tab: StepTab, name: string): Promise<void> {
  const key = findKey(name);
  if (!key) throw new StepFailed(`There is no key ${name}. Use one character, or ${KEY_NAMES.join(', ')}.`);
  await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...key });
  await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key });
}

/** Calls a function of ours on an element. */
async function callOn(
  { send }: StepTab,
  executionContextId: unknown,
  { id: backendNodeId }: Found,
  functionDeclaration: string,
  ...args: string[]
): Promise<unknown> {
  const { object } = await send('DOM.resolveNode', { backendNodeId, executionContextId });
  const { result } = await send('Runtime.callFunctionOn', {
    functionDeclaration,
    objectId: readObject(object).objectId,
    arguments: args.map((value) => ({ value })),
    returnByValue: true,
  });
  return readObject(result).value;
}

const say = ({ role, name }: Found) => `The ${role} ${JSON.stringify(readText(name, 80))}`;

/** A step in words. */
export function sayStep(step: CheckStep): string {
  const action = STEP_ACTIONS.find((each) => step[each] !== undefined) ?? 'wait';
  const element = step[action];
  if (typeof element !== 'object') return `press ${element}`;
  const what = [element.role, element.name && JSON.stringify(element.name)].filter(Boolean).join(' ');
  if (element.text === undefined) return `${action} ${what}`;
  const text = JSON.stringify(readText(element.text, 80));
  if (what === '') return `${action} ${text}`;
  return action === 'type' ? `type ${text} into ${what}` : `${action} ${text} of ${what}`;
}
