import { expect, test } from 'bun:test';
import { loadSharp } from '../../../server/platform/pictures/index.ts';
import { makeQrCode, toSvgFile } from './qr-code.ts';

test('a QR code has a quiet border, its three corners, and grows with the address', () => {
  const short = makeQrCode('https://quire.example/p/a');
  const long = makeQrCode(`https://quire.example/p/${'a'.repeat(100)}`);
  expect(long.size).toBeGreaterThan(short.size);
  // Each corner begins with seven dark modules after four empty ones.
  expect(short.path).toStartWith('M4 4h7v1H4z');
  expect(short.path).toContain(`M${short.size - 11} 4h7v1H${short.size - 11}z`);
  expect(short.path).toContain(`M4 ${short.size - 5}h7v1H4z`);
  expect(short.path).not.toMatch(/M[0-3] /);
});

test('the same address makes the same code, and letters of any language fit', () => {
  expect(makeQrCode('https://quire.example/p/ä😀')).toEqual(makeQrCode('https://quire.example/p/ä😀'));
});

test('the file is a picture that every program reads, dark on white', async () => {
  const sharp = await loadSharp();
  const svg = Buffer.from(await toSvgFile(makeQrCode('https://quire.example/p/a')).arrayBuffer());
  const { data, info } = await sharp(svg).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([512, 512]);
  expect(data[0]).toBe(255);
  expect(new Set(data).has(0)).toBe(true);
});
