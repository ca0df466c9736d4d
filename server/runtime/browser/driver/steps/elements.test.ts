import { describe, expect, test } from 'bun:test';
import { sayStep } from './do-step.ts';
import { chooseElement, type Found, sayMissing } from './elements.ts';
import { findKey } from './keys.ts';

const elements: Found[] = (
  [
    ['heading', 'Add a card'],
    ['StaticText', 'Add'],
    ['button', 'Add all'],
    ['button', 'add'],
    ['textbox', 'Title'],
    ['link', 'Home'],
  ] as const
).map(([role, name], id) => ({ id, role, name, isDisabled: false, isEditable: role === 'textbox' }));

const choose = (wanted: Parameters<typeof chooseElement>[1]) => chooseElement(elements, wanted)?.id;

describe('an element', () => {
  test('is found by its whole name before a part of it, and what people use before texts', () => {
    expect(choose({ role: 'button', name: 'Add' })).toBe(3);
    expect(choose({ name: 'Add' })).toBe(3);
    expect(choose({ name: '  add  ALL ' })).toBe(2);
    expect(choose({ name: 'a card' })).toBe(0);
    expect(choose({ role: 'link' })).toBe(5);
    expect(choose({ role: 'Textbox', name: 'title' })).toBe(4);
    expect(choose({ role: 'link', name: 'Add' })).toBeUndefined();
  });

  test('that is missing is explained with those of its role, or with all that can be used', () => {
    expect(sayMissing(elements, { role: 'button', name: 'Remove' })).toBe(
      'There is no button named "Remove". There is: "Add all", "add".',
    );
    expect(sayMissing(elements, { role: 'tab' })).toBe(
      'There is no tab. There is: button "Add all", button "add", textbox "Title", link "Home".',
    );
    expect(sayMissing([], { name: 'x' })).toBe(
      'There is no element named "x". There is nothing to click or to fill in.',
    );
    const many = Array.from({ length: 30 }, (_, id) => ({ ...(elements[2] as Found), id, name: `b${id}` }));
    expect(sayMissing(many, { role: 'button', name: 'x' })).toEndWith('"b11" and 18 more.');
  });
});

test('a step is said in words', () => {
  expect(sayStep({ click: { role: 'button', name: 'Add' } })).toBe('click button "Add"');
  expect(sayStep({ type: { name: 'Title', text: 'x'.repeat(100) } })).toHaveLength(100);
  expect(sayStep({ wait: { text: 'Saved' } })).toBe('wait "Saved"');
  expect(sayStep({ press: 'Enter' })).toBe('press Enter');
});

test('a key has a name or is one character', () => {
  expect(findKey('Enter')).toMatchObject({ key: 'Enter', code: 'Enter', text: '\r' });
  expect(findKey('a')).toMatchObject({ key: 'a', code: 'KeyA', text: 'a' });
  expect(findKey('é')).toMatchObject({ key: 'é', text: 'é' });
  expect(findKey('constructor')).toBeUndefined();
  expect(findKey('Hyper')).toBeUndefined();
});
