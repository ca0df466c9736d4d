/**
 * Functions that run in the page, in a world of their own where its scripts cannot change anything. Each is sent as text,
 * so it uses nothing from outside, and `this` is the element.
 */

/** Where an element can be clicked, or why it cannot. */
export type Spot = { x: number; y: number } | { hidden: true } | { coveredBy: string };

export const locate = `function () {
  const element = this.nodeType === 1 ? this : this.parentElement;
  if (!element) return { hidden: true };
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  let covered;
  for (const target of [element, ...(element.labels ?? [])]) {
    const rect = [...target.getClientRects()].find(({ width, height }) => width > 0 && height > 0);
    if (!rect) continue;
    const [x, y] = [rect.x + rect.width / 2, rect.y + rect.height / 2];
    let top = document.elementFromPoint(x, y);
    while (top?.shadowRoot?.elementFromPoint(x, y) && top.shadowRoot.elementFromPoint(x, y) !== top)
      top = top.shadowRoot.elementFromPoint(x, y);
    if (top && (target.contains(top) || top.contains(target) || top.closest('label')?.control === element))
      return { x, y };
    covered ??= top ? '<' + top.localName + (top.id ? ' id="' + top.id + '"' : '') + '>' : 'the edge of the window';
  }
  return covered ? { coveredBy: covered } : { hidden: true };
}`;

/** What happened to the text for a field: it is set, or the field is ready for it, or it takes none. */
export type Prepared = 'set' | 'ready' | 'refused' | 'not a field';

export const prepareField = `function (text) {
  const field = this.nodeType === 1 ? this : this.parentElement;
  if (!field) return 'not a field';
  if (field.disabled || field.readOnly) return 'refused';
  field.focus();
  if (field instanceof HTMLInputElement) {
    if (/^(date|time|month|week|datetime-local|color|range)$/.test(field.type)) {
      field.value = text;
      if (text !== '' && field.value === '') return 'refused';
      for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
      return 'set';
    }
    if (/^(checkbox|radio|button|submit|reset|image|file|hidden)$/.test(field.type)) return 'not a field';
  } else if (!(field instanceof HTMLTextAreaElement) && !field.isContentEditable) return 'not a field';
  if (field.select) field.select();
  else getSelection().selectAllChildren(field);
  return 'ready';
}`;

/** Chooses an option. Returns the options if there is no such one, and nothing if the element has none. */
export const chooseOption = `function (wanted) {
  if (!(this instanceof HTMLSelectElement)) return undefined;
  const say = (option) => option.label.replace(/\\s+/g, ' ').trim();
  const options = [...this.options].filter((option) => !option.disabled);
  const option = options.find((each) => say(each) === wanted) ?? options.find((each) => each.value === wanted)
    ?? options.find((each) => say(each).toLowerCase().includes(wanted.toLowerCase()));
  if (!option || this.disabled) return { options: options.slice(0, 12).map((each) => say(each).slice(0, 80)) };
  this.focus();
  option.selected = true;
  for (const name of ['input', 'change']) this.dispatchEvent(new Event(name, { bubbles: true }));
  return { options: undefined };
}`;

/** The beginning of the visible text of the page. */
export const visibleText = (letters: number) =>
  `(document.body?.innerText ?? '').slice(0, ${letters}).replace(/\\s+/g, ' ').trim()`;
