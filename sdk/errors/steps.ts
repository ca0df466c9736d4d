/** Loaded only on pages whose owner lets errors be repaired: remembers the last things that the visitor did. */

/** What was done, as page checks take it. */
interface Step {
  click?: { role?: string; name?: string };
  type?: { name?: string; text: string };
  select?: { name?: string; text: string };
  press?: string;
}

/** The script element, through which the report of an error reads the steps. */
export type Recorder = HTMLScriptElement & {
  /** The steps up to a time. Missing until the script has loaded. */
  read?(until: number): Step[];
};

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

const MAX_STEPS = 12;
const MAX_NAME = 100;
const MAX_TEXT = 200;
const USED = 'a[href],button,summary,input,select,textarea,label,[role],[onclick]';
const FIELD =
  'textarea,select,input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=reset],[type=image],[type=file])';
const BUTTONS = /^(button|submit|reset|image)$/;

/** Fields whose text is never sent, also after they have begun to show it. */
const secret = new WeakSet<Element>();
const SECRET = /password|one-time-code|cc-/;
const done: Array<{ at: number; element: Element; step: Step }> = [];

function add(at: number, element: Element, step: Step): void {
  // Each letter is an event. Only the whole text counts.
  if (!step.click && !step.press && done.at(-1)?.element === element) done.pop();
  done.push({ at, element, step });
  if (done.length > MAX_STEPS) done.shift();
}

const flatten = (text: string | null | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();

/** What people and screen readers know the element by. */
function findName(element: Element): string {
  const { labels, value, type, placeholder } = element as HTMLInputElement;
  const isButton = element.matches('input') && BUTTONS.test(type);
  const label = flatten(element.getAttribute('aria-label')) || flatten(labels?.[0]?.textContent);
  const own = isButton ? value : element.matches('input,select,textarea') ? '' : element.textContent;
  return (label || flatten(own) || flatten(element.getAttribute('title')) || flatten(placeholder)).slice(
    0,
    MAX_NAME,
  );
}

function findRole(element: Element): string | undefined {
  const given = element.getAttribute('role');
  if (given) return given.slice(0, MAX_NAME);
  if (element.matches('a[href]')) return 'link';
  if (element.matches('button')) return 'button';
  const { type } = element as HTMLInputElement;
  if (!element.matches('input')) return undefined;
  return BUTTONS.test(type) ? 'button' : type;
}

function name(element: Element): { name?: string } {
  const found = findName(element);
  return found === '' ? {} : { name: found };
}

function clicked({ isTrusted, timeStamp, target }: Event): void {
  const element = target instanceof Element ? target.closest(USED) : null;
  // A click on a label is followed by one on its field.
  if (!isTrusted || !element || element.matches(`label,${FIELD}`)) return;
  const role = findRole(element);
  const click = { ...(role && { role }), ...name(element) };
  if (Object.keys(click).length > 0) add(timeStamp, element, { click });
}

function changed({ isTrusted, timeStamp, target }: Event): void {
  if (!isTrusted || !(target instanceof Element) || !target.matches(FIELD)) return;
  const field = target as Field;
  if (field instanceof HTMLSelectElement) {
    const text = flatten(field.selectedOptions[0]?.textContent).slice(0, MAX_TEXT);
    add(timeStamp, field, { select: { ...name(field), text } });
    return;
  }
  if (field.type === 'password' || SECRET.test(field.autocomplete)) secret.add(field);
  const text = secret.has(field) ? 'x'.repeat(8) : field.value.slice(0, MAX_TEXT);
  add(timeStamp, field, { type: { ...name(field), text } });
}

function pressed({ isTrusted, timeStamp, target, key }: KeyboardEvent): void {
  if (!isTrusted || (key !== 'Enter' && key !== 'Escape') || !(target instanceof Element)) return;
  // With a button, the browser clicks it.
  const { form } = target as HTMLInputElement;
  const isClick = !target.matches(FIELD) || form?.querySelector('[type=submit],button:not([type])');
  if (key === 'Enter' && isClick) return;
  add(timeStamp, target, { press: key });
}

addEventListener('click', clicked, true);
addEventListener('input', changed, true);
addEventListener('keydown', pressed, true);
Object.assign(document.currentScript as Recorder, {
  read: (until: number) => done.filter(({ at }) => at <= until).map(({ step }) => step),
});
