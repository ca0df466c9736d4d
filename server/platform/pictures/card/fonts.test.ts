import { describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { covers, readCoverage } from './font-file.ts';
import { chooseFonts } from './fonts.ts';
import { readSystemFonts } from './system-fonts.ts';

const SAMPLES: Record<string, string> = {
  Latin: 'Crème brûlée, naïve œuvre, Łódź, İstanbul',
  Vietnamese: 'Đường đến trường',
  Cyrillic: 'Привет, Київ, Қазақстан',
  Greek: 'Ελλάδα ἀρχή',
  Hebrew: 'שלום עולם',
  Arabic: 'مرحبا بالعالم، پچگ',
  Devanagari: 'हिन्दी में',
  Bengali: 'বাংলা',
  Thai: 'สวัสดี',
  Korean: '한국어 꽃',
  Japanese: '日本語のカタカナー、「」',
  'Chinese, simplified and traditional': '简体汉语 繁體中文學習電腦國際臺灣',
  punctuation: '“Quotes” – dashes — … • · € £ ¥ © ™ → ?',
};

describe('the bundled fonts', () => {
  for (const [script, text] of Object.entries(SAMPLES)) {
    test(`can draw ${script}`, async () => {
      const { fonts, missing } = await chooseFonts(text, 0);
      expect([...missing]).toEqual([]);
      expect(fonts[0]?.name).toBe('noto-sans-latin');
    });
  }

  test('are loaded only when they are needed', async () => {
    const names = async (text: string) => new Set((await chooseFonts(text, 0)).fonts.map(({ name }) => name));
    expect(await names('Hello')).toEqual(new Set(['noto-sans-latin']));
    expect(await names('Hello Київ')).toEqual(new Set(['noto-sans-latin', 'noto-sans-cyrillic']));
  });

  test('know which characters they lack', async () => {
    const { missing } = await chooseFonts('a\u{12000}b\u{e000}', 0);
    expect(missing).toEqual(new Set(['\u{12000}', '\u{e000}']));
  });
});

describe('a font file', () => {
  const load = async (name: string) =>
    Buffer.from(await Bun.file(join(import.meta.dir, 'fonts', `${name}.woff2`)).arrayBuffer());

  test('lists its characters', async () => {
    const coverage = await readCoverage(await load('noto-sans-hebrew-700'));
    expect(covers(coverage, 'ש'.codePointAt(0) ?? 0)).toBe(true);
    expect(covers(coverage, '東'.codePointAt(0) ?? 0)).toBe(false);
    expect(covers([], 65)).toBe(false);
  });

  test('that is invalid covers nothing', async () => {
    for (const text of ['', 'no font', `\0\x01\0\0\0\x05${'\xff'.repeat(40)}`, 'wOF2']) {
      expect(await readCoverage(Buffer.from(text, 'latin1'))).toEqual([]);
    }
  });

  test('that is broken is skipped, and so is a missing folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-fonts-'));
    try {
      await Bun.write(join(folder, 'Broken-Bold.ttf'), 'not a font');
      await Bun.write(join(folder, 'empty.otf'), '');
      expect(await readSystemFonts([folder, join(folder, 'missing')])).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
