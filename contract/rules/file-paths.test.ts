import { describe, expect, test } from 'bun:test';
import { FilePathSet, faultNextTo, filePathFault, normalizeFilePath } from './file-paths.ts';
import { ENGLISH, type Text } from './texts/fill.ts';

const inEnglish = (fault: Text | undefined) => fault && ENGLISH.say(fault.text, fault.values);

describe('the path of a file', () => {
  test.each([
    'a',
    'style.css',
    'images/cat.png',
    'a b/c (1).txt',
    'assets/index-D4f_2.js',
    '日本/写真.jpg',
    'папка/файл.html',
    'a..b/c...d',
    'apis/x',
    'api/x',
    'api/pages.json',
    'p/1.html',
    'sdk/x.js',
    'mcp/index.html',
    '.well-known/assetlinks.json',
    'x/api/p',
    '%2e%2e/x',
    'a?b#c',
    '__proto__',
    `${'é'.repeat(125)}.png`,
    `${'a/'.repeat(49)}${'b'.repeat(255)}`,
    `${`${'c'.repeat(199)}/`.repeat(4)}${'d'.repeat(200)}`,
  ])('can be %j', (path) => {
    expect(filePathFault(path)).toBeUndefined();
  });

  test.each([
    ['', 'must not be empty'],
    ['/etc/passwd', 'must be relative to the page'],
    ['C:/x', 'must be relative to the page'],
    ['c:x', 'must be relative to the page'],
    ['a\\b', 'must not contain a backslash; separate folders with /'],
    ['\\\\server\\share', 'must not contain a backslash; separate folders with /'],
    ['..', 'must not contain . or .. as a segment'],
    ['a/../b', 'must not contain . or .. as a segment'],
    ['./a', 'must not contain . or .. as a segment'],
    ['a//b', 'must not have an empty segment'],
    ['a/', 'must not have an empty segment'],
    ['.env', 'must not have a name that starts with a dot (.env)'],
    ['a/.git/config', 'must not have a name that starts with a dot (.git)'],
    ['a\0b', 'must not contain control characters'],
    ['a\nb', 'must not contain control characters'],
    ['a\u007fb', 'must not contain control characters'],
    ['exe.\u202egpj', 'must not contain control characters'],
    ['a\ud800b', 'must not contain control characters'],
    ['.well-known', 'must not have a name that starts with a dot (.well-known)'],
    ['a/.well-known/x', 'must not have a name that starts with a dot (.well-known)'],
    ['.well-known/.git/config', 'must not have a name that starts with a dot (.git)'],
    ['api/pages/1/visitor', 'must not begin with api/pages/, which the service uses itself'],
    ['api/functions', 'must not begin with api/functions, which the service uses itself'],
    [
      '.well-known/oauth-protected-resource/mcp',
      'must not begin with .well-known/oauth-, which the service uses itself',
    ],
    [
      '.well-known/acme-challenge/x',
      'must not begin with .well-known/acme-challenge, which the service uses itself',
    ],
    ['mcp', 'must not begin with mcp, which the service uses itself'],
    ['~session', 'must not begin with ~, which the service uses itself'],
    ['é'.repeat(128), 'must not have a name of more than 255 bytes'],
    [`${'a/'.repeat(499)}abc`, 'must have at most 1,000 bytes'],
    [`${'a/'.repeat(50)}a`, 'must have at most 50 names between slashes'],
  ])('cannot be %j', (path, fault) => {
    expect(inEnglish(filePathFault(path))).toBe(fault);
  });

  test('is the same in both Unicode forms', () => {
    expect(normalizeFilePath('cafe\u0301.png')).toBe('caf\u00e9.png');
    const [short, long] = ['ΐ', '각'].map((letter) => `${letter.repeat(80)}/`.repeat(4));
    for (const path of [`${short}a`, `${long}a`]) expect(normalizeFilePath(path.normalize('NFD'))).toBe(path);
  });

  test('is refused at once if it is a pile of many marks', () => {
    const pile = `a${'\u0300\u0316'.repeat(100_000)}`;
    expect(inEnglish(filePathFault(normalizeFilePath(pile)))).toBe('must have at most 1,000 bytes');
  });
});

describe('paths of one page', () => {
  test.each([
    [['a.png', 'a.png'], 'is there twice'],
    [['Logo.png', 'logo.PNG'], 'differs from Logo.png only in upper and lower case'],
    [['É.txt', 'é.txt'], 'differs from É.txt only in upper and lower case'],
    [['a', 'a/b'], 'needs a folder where a is a file'],
    [['a/b/c', 'A/B'], 'is a file, but a/b/c needs a folder of that name'],
    [['x/Y', 'x/y/z'], 'needs a folder where x/Y is a file'],
  ])('%j do not fit', ([first = '', second = ''], fault) => {
    const paths = new FilePathSet();
    expect(paths.add(first)).toBeUndefined();
    expect(inEnglish(paths.add(second))).toBe(fault);
    expect(paths.size).toBe(1);
    expect(inEnglish(faultNextTo(second, ['other', first]))).toBe(fault);
  });

  test('fit if they only share a prefix or a folder', () => {
    const paths = new FilePathSet();
    const all = ['a.b', 'a', 'ab/c', 'ab/d', 'strasse', 'straße'];
    for (const path of all) {
      expect(paths.add(path)).toBeUndefined();
      const others = all.filter((other) => other !== path);
      expect(faultNextTo(path, others)).toBeUndefined();
    }
  });

  test('of two thousand deep folders are checked quickly enough to finish', () => {
    const paths = new FilePathSet();
    for (let at = 0; at < 2_000; at++) expect(paths.add(`${at}/${'x/'.repeat(48)}f`)).toBeUndefined();
  });
});
