import { describe, expect, test } from 'bun:test';
import { contrast, tinted, toAccent } from './colors.ts';

/** The surfaces of `tokens.css` on which links and buttons are. */
const LIGHT = ['#faf8f4', '#ffffff'];
const DARK = ['#16150f', '#201f18'];

const EXTREMES = [
  '#ffffff',
  '#000000',
  '#ffff00',
  '#ff0000',
  '#00ff00',
  '#0000ff',
  '#00ffff',
  '#ff00ff',
  '#808080',
];

function randomColors(count: number): string[] {
  let seed = 42;
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return `#${(seed >>> 8).toString(16).padStart(6, '0')}`;
  });
}

describe.each([...EXTREMES, '#3547a8', ...randomColors(200)])('%s', (color) => {
  test('gets variants that people can read, as a link and as a button, on light and dark screens', () => {
    const { light, onLight, dark, onDark } = toAccent(color);
    for (const each of [light, onLight, dark, onDark]) expect(each).toMatch(/^#[0-9a-f]{6}$/);
    for (const surface of [...LIGHT, onLight]) expect(contrast(light, surface)).toBeGreaterThanOrEqual(4.5);
    for (const surface of [...DARK, onDark]) expect(contrast(dark, surface)).toBeGreaterThanOrEqual(4.5);
    // What is selected has the colour as its text, and a little of it as its background.
    for (const surface of LIGHT) expect(contrast(light, tinted(surface, light))).toBeGreaterThanOrEqual(4.5);
    for (const surface of DARK) expect(contrast(dark, tinted(surface, dark))).toBeGreaterThanOrEqual(4.5);
  });
});

test('a colour that can be read stays as it is', () => {
  expect(toAccent('#3547a8').light).toBe('#3547a8');
  expect(toAccent('#aab6ff').dark).toBe('#aab6ff');
});

test('knows the contrast of black and white, and of a colour with itself', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#123456', '#123456')).toBe(1);
});

test('a tint is as browsers paint a layer of the colour', () => {
  expect(tinted('#ffffff', '#000000')).toBe('#e0e0e0');
  expect(tinted('#faf8f4', '#faf8f4')).toBe('#faf8f4');
});
