import { expect, test } from 'bun:test';
import sharp from 'sharp';
import { PictureError } from './picture-error.ts';
import { reencode } from './reencode.ts';

/** A picture with a red left half and a blue right half. */
async function photo(width: number, height: number) {
  const half = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: 'red' } };
  return sharp({ create: { width, height, channels: 3, background: 'blue' } }).composite([
    { input: half, left: 0, top: 0 },
  ]);
}

async function pixel(png: Uint8Array, left: number, top: number): Promise<number[]> {
  return [...(await sharp(png).extract({ left, top, width: 1, height: 1 }).removeAlpha().raw().toBuffer())];
}

test('metadata is removed: location, camera and profile', async () => {
  const source = await (await photo(80, 40))
    .jpeg()
    .withExif({ IFD0: { Copyright: 'secret-owner' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .toBuffer();
  expect(source.includes('secret-owner')).toBe(true);
  const png = Buffer.from(await reencode(source, { maxWidth: 100, maxHeight: 100 }));
  const { format, exif, icc, xmp } = await sharp(png).metadata();
  expect({ format, exif, icc, xmp }).toEqual({ format: 'png' } as never);
  expect(png.includes('secret-owner')).toBe(false);
});

test('an image with a rotation is turned upright', async () => {
  const source = await (await photo(80, 40)).jpeg().withMetadata({ orientation: 6 }).toBuffer();
  const png = await reencode(source, { maxWidth: 100, maxHeight: 100 });
  expect(await sharp(png).metadata()).toMatchObject({ width: 40, height: 80 });
  // After a turn to the right, the left side is at the top.
  expect((await pixel(png, 20, 10))[0]).toBeGreaterThan(200);
  expect((await pixel(png, 20, 70))[2]).toBeGreaterThan(200);
});

test('large images are fitted into the frame, and small ones keep their size', async () => {
  const size = async (width: number, height: number) => {
    const png = await reencode(await (await photo(width, height)).png().toBuffer(), {
      maxWidth: 100,
      maxHeight: 50,
    });
    const made = await sharp(png).metadata();
    return [made.width, made.height];
  };
  expect(await size(100, 50)).toEqual([100, 50]);
  expect(await size(101, 50)).toEqual([100, 50]);
  expect(await size(400, 400)).toEqual([50, 50]);
  expect(await size(30, 20)).toEqual([30, 20]);
});

test('a covering image fills the frame exactly, from any shape', async () => {
  for (const [width, height] of [
    [1024, 1024],
    [300, 20],
    [20, 300],
  ] as const) {
    const source = await (await photo(width, height)).webp().toBuffer();
    const png = await reencode(source, { maxWidth: 1200, maxHeight: 630, fit: 'cover' });
    expect(await sharp(png).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 });
  }
});

test('anything that is not an image, or a broken one, is refused', async () => {
  const half = (await (await photo(80, 40)).jpeg().toBuffer()).subarray(0, 300);
  for (const bytes of [half, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')]) {
    await expect(reencode(bytes, { maxWidth: 9, maxHeight: 9 })).rejects.toBeInstanceOf(PictureError);
  }
});

test('images wait their turn, and are refused when the queue is full', async () => {
  const source = await (await photo(64, 64)).png().toBuffer();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 53 }, () => reencode(source, { maxWidth: 64, maxHeight: 64 })),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused.map((outcome) => outcome.reason.reason)).toEqual(['busy']);
});
