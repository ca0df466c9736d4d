import { afterEach, expect, test } from 'bun:test';
import { look, setLook } from '../../../platform/service-settings/index.ts';
import { isOwnName } from './own-names.ts';

const original = look();
afterEach(() => setLook(original));

test.each([
  ...['Quire', 'QUIRE', 'quire', 'Quire command line', 'Quire-CLI', 'QuireSupport', 'quireapp', 'Q u i r e'],
  ...[
    'Qu\u200bire',
    'Quіrе',
    'Qu1re',
    'Qulre',
    'Ｑｕｉｒｅ',
    '"Quire"',
    'Official Quire',
    'The official Quire app',
  ],
  ...['✔ Quire', 'Qúire', 'ԛuire', 'Ɋuire', 'Qµire', '🆀🆄🅸🆁🅴', '🅠🅤🅘🅡🅔', '🇶🇺🇮🇷🇪'],
])('%j looks like our own', (name) => expect(isOwnName(name)).toBe(true));

test.each([
  ...[
    'Claude Code (quire)',
    'Backup for Quire',
    'Acquire',
    'Enquire now',
    'Choir',
    'The Squire',
    'Official',
    '',
  ],
  ...['Wochenplan', '予定表', 'MCP Inspector', '🇩🇪 Wetter', '🅰️ Notes'],
])('%j does not look like our own', (name) => expect(isOwnName(name)).toBe(false));

test('the name that administrators gave the service is ours too', () => {
  setLook({ ...original, name: 'Café Ai' });
  for (const name of ['Café Ai', 'cafe ai', 'CafeAi helper', 'The Cafe A1', 'c-a-f-e-a-i', 'Quire'])
    expect([name, isOwnName(name)]).toEqual([name, true]);
  for (const name of ['Café', 'Cafe Aida', 'Claude Ai', 'My Café'])
    expect([name, isOwnName(name)]).toEqual([name, false]);
});
