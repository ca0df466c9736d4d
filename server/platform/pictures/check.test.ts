import { describe, expect, test } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import fc from 'fast-check';
import sharp from 'sharp';
import { checkPicture, PICTURE_LIMITS } from './check.ts';
import { PictureError } from './picture-error.ts';
import { reencode } from './reencode.ts';

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#3366cc' } });
/** Noise, so that half of the file is really half of the image. */
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'white',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });

const SAMPLES = {
  'image/png': () => noise(40, 30).png().toBuffer(),
  'image/jpeg': () => noise(40, 30).jpeg().toBuffer(),
  'image/webp': () => noise(40, 30).webp().toBuffer(),
  'image/gif': () => noise(40, 30).gif().toBuffer(),
  'image/avif': () => noise(40, 30).avif({ effort: 0 }).toBuffer(),
};

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const head = Buffer.alloc(4);
  const tail = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  tail.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, tail]);
}

/** A PNG with any size in its header, and one line of pixels. */
function pngThatSays(width: number, height: number): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 0, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const line = deflateSync(Buffer.alloc(1000));
  return Buffer.concat([signature, chunk('IHDR', size), chunk('IDAT', line), chunk('IEND', Buffer.alloc(0))]);
}

async function refusal(bytes: Uint8Array, limits = PICTURE_LIMITS): Promise<PictureError> {
  const error: unknown = await checkPicture(bytes, limits).then(
    () => undefined,
    (reason) => reason,
  );
  if (!(error instanceof PictureError)) throw new Error(`not refused: ${error}`);
  return error;
}

describe('the type of an image', () => {
  for (const [contentType, make] of Object.entries(SAMPLES)) {
    test(`${contentType} is recognized by its bytes`, async () => {
      const bytes = await make();
      expect(await checkPicture(bytes)).toEqual({ bytes, contentType, width: 40, height: 30 } as never);
    });

    test(`half of an ${contentType} is refused, and so is its beginning alone`, async () => {
      const bytes = await make();
      expect((await refusal(bytes.subarray(0, bytes.length / 2))).reason).toBe('broken');
      for (const length of [12, 16, 20, 26]) {
        expect((await refusal(bytes.subarray(0, length))).reason).toMatch(/broken|unsupported/);
      }
    });
  }

  test('other kinds of WebP are recognized: lossless, and with a transparent colour', async () => {
    const plain = await noise(70, 50).webp({ lossless: true }).toBuffer();
    expect(await checkPicture(plain)).toMatchObject({ width: 70, height: 50, contentType: 'image/webp' });
    const clear = await noise(300, 20).ensureAlpha(0.5).webp().toBuffer();
    expect(await checkPicture(clear)).toMatchObject({ width: 300, height: 20, contentType: 'image/webp' });
  });

  test('a large AVIF has its full size', async () => {
    const bytes = await blank(1500, 900).avif({ effort: 0 }).toBuffer();
    expect(await checkPicture(bytes)).toMatchObject({ width: 1500, height: 900 });
  });

  test('a rotated AVIF has the size it is shown in', async () => {
    const bytes = await noise(80, 40).avif({ effort: 0 }).withMetadata({ orientation: 6 }).toBuffer();
    expect(await checkPicture(bytes)).toMatchObject({ width: 40, height: 80 });
  });

  test('a damaged image is accepted or refused, and nothing else happens', async () => {
    const samples = await Promise.all(Object.values(SAMPLES).map((make) => make()));
    const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...samples), damage, fc.nat(), async (sample, changes, cut) => {
        const bytes = Buffer.from(sample.subarray(0, sample.length - (cut % 40)));
        for (const [at, value] of changes) bytes[at % bytes.length] = value;
        const outcome: unknown = await checkPicture(bytes).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(PictureError);
      }),
      { numRuns: 150 },
    );
  });

  const OTHERS: Record<string, string | Uint8Array> = {
    nothing: '',
    SVG: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>',
    'SVG after an XML declaration': '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    HTML: '<!doctype html><script>alert(1)</script>',
    'HTML that mentions PNG': '<!-- \x89PNG\r\n\x1a\n --><h1>hi</h1>',
    PDF: '%PDF-1.7\n1 0 obj <<>> endobj',
    TIFF: 'II*\0\x08\0\0\0',
    BMP: 'BM\x46\0\0\0',
    HEIC: '\0\0\0\x18ftypheic\0\0\0\0mif1heic',
    MP4: '\0\0\0\x18ftypisom\0\0\0\0isomavc1',
    'audio in RIFF': 'RIFF\x24\0\0\0WAVEfmt ',
  };
  for (const [name, content] of Object.entries(OTHERS)) {
    test(`${name} is not an image`, async () => {
      const error = await refusal(typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
      expect(error.reason).toBe('unsupported');
      expect(error.message).toContain('PNG, JPEG, WebP, GIF or AVIF');
    });
  }

  test('a signature before other content does not make it an image', async () => {
    const signatures = [
      '\x89PNG\r\n\x1a\n',
      '\xff\xd8\xff\xe0',
      'GIF89a',
      'RIFF\x10\0\0\0WEBPVP8 ',
      '\0\0\0\x14ftypavif',
    ];
    for (const signature of signatures) {
      const pretender = Buffer.from(
        `${signature}<html><script>alert(1)</script></html>${' '.repeat(99)}`,
        'latin1',
      );
      expect((await refusal(pretender)).reason).toMatch(/broken|too-large/);
    }
  });

  test('a polyglot is recognized as an image, and re-encoding removes its other half', async () => {
    const image = await SAMPLES['image/jpeg']();
    const hidden = '<html><script>alert(1)</script>';
    const polyglot = Buffer.concat([image, Buffer.from(hidden)]);
    expect((await checkPicture(polyglot)).contentType).toBe('image/jpeg');
    const clean = await reencode(polyglot, { maxWidth: 100, maxHeight: 100 });
    expect(Buffer.from(clean).includes('<script>')).toBe(false);
  });

  test('an image with damage in the middle is refused', async () => {
    const bytes = await SAMPLES['image/png']();
    bytes.fill(0, 100, 600);
    expect((await refusal(bytes)).reason).toBe('broken');
  });
});

describe('the size of an image', () => {
  test('in bytes is accepted up to the limit', async () => {
    const bytes = await SAMPLES['image/png']();
    const limits = { ...PICTURE_LIMITS, maxBytes: bytes.length };
    expect((await checkPicture(bytes, limits)).width).toBe(40);
    expect((await refusal(bytes, { ...limits, maxBytes: bytes.length - 1 })).reason).toBe('too-large');
    const padded = Buffer.concat([bytes, Buffer.alloc(10 * 1024 * 1024 - bytes.length)]);
    expect((await checkPicture(padded)).contentType).toBe('image/png');
    const error = await refusal(Buffer.concat([padded, Buffer.alloc(1)]));
    expect(error).toMatchObject({
      reason: 'too-large',
      message: 'The picture is larger than 10 MB. Send a smaller one.',
    });
  });

  test('in pixels is accepted up to the limit', async () => {
    const at = await blank(8000, 5000).png({ compressionLevel: 1 }).toBuffer();
    expect(await checkPicture(at)).toMatchObject({ width: 8000, height: 5000 });
    expect((await refusal(pngThatSays(8000, 5001))).reason).toBe('too-large');
    expect(PICTURE_LIMITS.maxPixels).toBe(40_000_000);
  });

  test('of 60,000 x 60,000 pixels is refused because of the header', async () => {
    const before = process.memoryUsage().rss;
    const error = await refusal(pngThatSays(60_000, 60_000));
    expect(error.reason).toBe('too-large');
    expect(error.message).toContain('60000 x 60000');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    await expect(reencode(pngThatSays(60_000, 60_000), { maxWidth: 9, maxHeight: 9 })).rejects.toThrow(
      '60000 x 60000',
    );
  });

  /** Complete images with headers changed to another size. */
  const BOMBS: Record<string, () => Promise<Buffer>> = {
    'a GIF with a large screen': async () => {
      const bytes = await SAMPLES['image/gif']();
      bytes.writeUInt16LE(60_000, 6);
      bytes.writeUInt16LE(60_000, 8);
      return bytes;
    },
    'a JPEG': async () => {
      const bytes = await SAMPLES['image/jpeg']();
      const frame = bytes.indexOf(Buffer.from([0xff, 0xc0]));
      bytes.writeUInt16BE(60_000, frame + 5);
      bytes.writeUInt16BE(60_000, frame + 7);
      return bytes;
    },
    'a WebP': async () => {
      const bytes = await SAMPLES['image/webp']();
      bytes.writeUInt16LE(16_383, 26);
      bytes.writeUInt16LE(16_383, 28);
      return bytes;
    },
    'an AVIF': async () => {
      const bytes = await blank(1500, 900).avif({ effort: 0 }).toBuffer();
      const size = bytes.indexOf('ispe');
      bytes.writeUInt32BE(60_000, size + 8);
      bytes.writeUInt32BE(60_000, size + 12);
      return bytes;
    },
  };
  test.each(Object.entries(BOMBS))('refuses %s with a header that is too large', async (_, make) => {
    const bytes = await make();
    const before = process.memoryUsage().rss;
    expect((await refusal(bytes)).reason).toBe('too-large');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  const HEADERS = {
    GIF: '474946383961ffffffff000000',
    JPEG: 'ffd8ffc0001108ea60ea6003012200021101031101',
    WebP: '524946461600000057454250565038580a000000000000005fea005fea00',
  };
  test.each(Object.entries(HEADERS))('refuses only the header of a large %s', async (_, hex) => {
    const before = process.memoryUsage().rss;
    expect((await refusal(Buffer.from(hex, 'hex'))).reason).toMatch(/broken|too-large/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('refuses a WebP with a canvas larger than its image', async () => {
    const bytes = await noise(40, 30).ensureAlpha(0.5).webp().toBuffer();
    bytes.writeUIntLE(59_999, 24, 3);
    bytes.writeUIntLE(59_999, 27, 3);
    expect((await refusal(bytes)).reason).toMatch(/broken|too-large/);
  });

  test('refuses a GIF that hides a huge frame behind a header of one pixel', async () => {
    const screen = Buffer.from('474946383961010001000000002c', 'hex');
    const frame = Buffer.from('0000000060ea60ea00', 'hex');
    const data = Buffer.from('02024c01003b', 'hex');
    const before = process.memoryUsage().rss;
    expect((await refusal(Buffer.concat([screen, frame, data]))).reason).toBe('too-large');
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('refuses an image without pixels', async () => {
    expect((await refusal(pngThatSays(0, 10))).reason).toBe('broken');
  });
});
