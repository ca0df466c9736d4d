import satori from 'satori';
import sharp from 'sharp';
import { covers } from './font-file.ts';
import { emojiFont } from './fonts.ts';
import { graphemes, isEmoji } from './text.ts';

const SIZE = 160;
const MAX_EMOJI = 12;

/**
 * Draws the emoji of a text as square pictures in one colour. They cannot be drawn as letters: the layout would reserve
 * space for each part of a family or a flag instead of for the one emoji that they form.
 */
export async function drawEmoji(text: string, color: string): Promise<Record<string, string>> {
  const wanted = [...new Set(graphemes(text).filter(isEmoji))].slice(0, MAX_EMOJI);
  if (wanted.length === 0) return {};
  const { fonts, coverage } = await emojiFont();
  const images: Record<string, string> = {};
  for (const emoji of wanted) {
    const isDrawable = [...emoji].every(
      (part) => part === '\u200d' || covers(coverage, part.codePointAt(0) ?? 0),
    );
    if (!isDrawable) continue;
    const style = { display: 'flex', fontSize: SIZE, fontWeight: 700, color, padding: SIZE / 4 };
    const element = { type: 'div', props: { style, children: emoji } };
    const svg = await satori(element, { width: SIZE * 6, height: SIZE * 2, fonts });
    const png = await sharp(Buffer.from(svg))
      .trim()
      .resize(SIZE - 12, SIZE - 12, { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .extend({ top: 6, bottom: 6, left: 6, right: 6, background: { r: 0, g: 0, b: 0, alpha: 0 } })
      .png()
      .toBuffer();
    images[emoji] = `data:image/png;base64,${png.toString('base64')}`;
  }
  return images;
}
