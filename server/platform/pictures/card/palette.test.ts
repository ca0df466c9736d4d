import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { contrast, parseColor } from './contrast.ts';
import { makePalette } from './palette.ts';

const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const maybe = fc.option(color, { nil: undefined });

function ratio(a: string, b: string): number {
  const [first, second] = [parseColor(a), parseColor(b)];
  if (!first || !second) throw new Error(`not colours: ${a}, ${b}`);
  return contrast(first, second);
}

test('contrast is computed as in WCAG', () => {
  expect(ratio('#000', '#fff')).toBeCloseTo(21, 1);
  expect(ratio('#777', '#fff')).toBeCloseTo(4.48, 2);
  expect(ratio('red', 'red')).toBe(1);
});

test('a card is readable with any colours of a page', () => {
  fc.assert(
    fc.property(maybe, maybe, maybe, fc.string(), (background, text, accent, name) => {
      const colors = Object.fromEntries(
        Object.entries({ background, text, accent }).filter(([, value]) => value),
      );
      const palette = makePalette(colors, name);
      for (const ground of [palette.ground, palette.groundEnd]) {
        expect(ratio(palette.name, ground)).toBeGreaterThan(4.4);
        expect(ratio(palette.description, ground)).toBeGreaterThan(4);
      }
      expect(ratio(palette.name, palette.ground)).toBeGreaterThanOrEqual(4.5);
      expect(ratio(palette.description, palette.ground)).toBeGreaterThanOrEqual(4.4);
      expect(ratio(palette.accent, palette.ground)).toBeGreaterThanOrEqual(2.9);
    }),
    { numRuns: 500 },
  );
});

test('readable colours are kept', () => {
  const palette = makePalette({ background: '#ffffff', text: '#222222', accent: '#e11d48' }, 'x');
  expect(palette).toMatchObject({ ground: '#ffffff', name: '#222222', accent: '#e11d48' });
});

test('without colours the name decides, always in the same way', () => {
  expect(makePalette({}, 'Bread')).toEqual(makePalette({}, 'Bread'));
  const grounds = new Set(Array.from({ length: 100 }, (_, i) => makePalette({}, `Page ${i}`).ground));
  expect(grounds.size).toBe(8);
});
