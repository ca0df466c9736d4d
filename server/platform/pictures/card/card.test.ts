import { describe, expect, test } from 'bun:test';
import sharp from 'sharp';
import { drawCard } from './card.ts';
import type { Card } from './layout.ts';

const LONG = 'A name that goes on and on because somebody pasted a paragraph into it. '.repeat(4);

const CARDS: Record<string, Card> = {
  'one letter': { name: 'Q' },
  'a name, a description and a URL': {
    name: 'Weekend Bread Club',
    description: 'Recipes and a shared calendar.',
    baseUrl: 'https://pages.example.org',
  },
  '200 characters and a long description': { name: LONG.slice(0, 200), description: LONG.repeat(9) },
  'one endless word': { name: 'x'.repeat(200), description: 'y'.repeat(5_000) },
  'right to left, with brackets': { name: 'قائمة (2026) المشتريات', description: 'לוח אירועים' },
  'many scripts': { name: 'Ελλάδα Київ हिन्दी 東京 한국어 ไทย', description: 'Đường đến trường' },
  emoji: { name: '🎉 👩‍👩‍👧 🇩🇪 👍🏽 1️⃣', description: '❤️' },
  'nothing at all': { name: '', description: '' },
  'characters without a glyph': { name: '\u{10fffd}\u{e000}\ud800', baseUrl: 'https://pages.example.org' },
  'a tower of accents': { name: `Z${'\u0301'.repeat(5_000)}algo` },
  'markup as text': { name: '<script>&amp;</script>', description: '<b>"bold"</b>' },
  'invalid colours': { name: 'x', colors: { background: 'red;}</style>', text: 'no', accent: '' } },
  'an invalid URL': { name: 'x', baseUrl: 'not an address' },
};

async function shape(png: Uint8Array) {
  const { format, width, height } = await sharp(png).metadata();
  return { format, width, height };
}

async function pixel(png: Uint8Array, left: number, top: number): Promise<number[]> {
  return [...(await sharp(png).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer())];
}

/**
 * The distance of the content from the edges: the first and last columns and rows that differ from the
 * background.
 */
async function inkBox(card: Card) {
  const plain = { ...card, colors: { background: '#ffffff', text: '#000000', accent: '#ff0000' } };
  const { data, info } = await sharp(await drawCard(plain))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const ink = { left: info.width, right: 0, top: info.height, bottom: 0 };
  for (let at = 0; at < data.length; at += 3) {
    // Text is dark, the sheets and the bar are red, and the background is nearly white.
    if ((data[at] ?? 255) > 140) continue;
    const [x, y] = [(at / 3) % info.width, Math.floor(at / 3 / info.width)];
    ink.left = Math.min(ink.left, x);
    ink.right = Math.max(ink.right, x);
    ink.top = Math.min(ink.top, y);
    ink.bottom = Math.max(ink.bottom, y);
  }
  return ink;
}

describe('a card', () => {
  for (const [name, card] of Object.entries(CARDS)) {
    test(`of ${name} is a PNG of 1200 x 630`, async () => {
      expect(await shape(await drawCard(card))).toEqual({ format: 'png', width: 1200, height: 630 });
    });
  }

  test('is always the same for the same input, and different for another name', async () => {
    const card = { name: 'Garden 🌱', description: 'What grows when.' };
    const [first, second, other] = [
      await drawCard(card),
      await drawCard(card),
      await drawCard({ name: 'Gardens' }),
    ];
    expect(Buffer.compare(first, second)).toBe(0);
    expect(Buffer.compare(first, other)).not.toBe(0);
  });

  test('keeps its text inside, however long it is', async () => {
    for (const name of [
      LONG,
      'W'.repeat(200),
      '東京'.repeat(100),
      'मराठी '.repeat(40),
      'قائمة '.repeat(40),
    ]) {
      const ink = await inkBox({ name, description: LONG, baseUrl: 'https://pages.example.org' });
      expect(ink.left).toBeGreaterThanOrEqual(70);
      expect(ink.right).toBeLessThanOrEqual(1130);
      expect(ink.top).toBeGreaterThanOrEqual(85);
      expect(ink.bottom).toBeLessThanOrEqual(580);
    }
  });

  test('aligns its text by script', async () => {
    const left = await inkBox({ name: 'Hello' });
    expect(left.left).toBeLessThan(100);
    expect(left.right).toBeLessThan(700);
    const right = await inkBox({ name: 'שלום' });
    expect(right.right).toBeGreaterThan(1100);
    expect(right.left).toBeGreaterThan(500);
  });

  test('has the colours of its page', async () => {
    const png = await drawCard({
      name: 'x',
      colors: { background: '#123456', text: '#ffffff', accent: '#ff8800' },
    });
    expect(await pixel(png, 4, 4)).toEqual([0x12, 0x34, 0x56]);
    expect(await pixel(png, 110, 77)).toEqual([0xff, 0x88, 0x00]);
  });

  test('leaves out characters without a glyph instead of drawing boxes', async () => {
    const colors = { background: '#ffffff', text: '#000000', accent: '#ff0000' };
    const plain = await drawCard({ name: 'Hello world', colors });
    const stripped = await drawCard({ name: 'Hello \u{10fffd}\u{e000} world', colors });
    expect(Buffer.compare(plain, stripped)).toBe(0);
  });

  test('waits its turn, and is refused when the queue is full', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 52 }, () => drawCard({ name: 'Q' })));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map((outcome) => outcome.reason.reason)).toEqual(['busy']);
  });
});
