import type { Palette } from './palette.ts';
import { type CardText, longestWord } from './text.ts';

export const CARD_WIDTH = 1200;
export const CARD_HEIGHT = 630;

const MARGIN = 80;
const TEXT_WIDTH = 880;
const NAME_SIZES = [148, 128, 112, 98, 86, 76, 68, 60, 52];
const SMALLEST = 52;
const DESCRIPTION_SIZE = 32;

/** An element of the layout engine: a style and children. */
export interface Element {
  type: string;
  props: {
    style?: Record<string, string | number>;
    children?: Array<Element | string>;
    [name: string]: unknown;
  };
}

/**
 * Sets the name as large as it fits: at most three lines (two at the largest sizes), and cut only at the smallest size.
 * The number of lines is measured, because it cannot be estimated for all scripts.
 */
export async function fitName(
  name: CardText,
  hasDescription: boolean,
  palette: Palette,
  measureHeight: (lines: Element, width: number) => Promise<number>,
): Promise<Element | undefined> {
  if (!name.text) return undefined;
  const longest = longestWord(name.text);
  // Leave space for the description: the largest sizes would not.
  for (const size of NAME_SIZES.filter((one) => !hasDescription || one <= 112)) {
    // Break words only if they are too long even at the smallest size.
    const isWhole = longest * size < TEXT_WIDTH * 0.95;
    if (!isWhole && longest * SMALLEST < TEXT_WIDTH * 0.95) continue;
    const style = nameStyle(name.text, size, palette);
    const height = await measureHeight(text(name, style), TEXT_WIDTH);
    if (Math.round(height / (size * style.lineHeight)) > (size > 98 ? 2 : 3)) continue;
    // Balance the lines, unless words must be broken: balancing would break them into small pieces.
    return text(name, isWhole ? { ...style, textWrap: 'balance', overflowWrap: 'normal' } : style);
  }
  return text(name, { ...nameStyle(name.text, SMALLEST, palette), lineClamp: 3 });
}

function nameStyle(content: string, size: number, palette: Palette) {
  return {
    fontSize: size,
    fontWeight: 700,
    lineHeight: size > 98 ? 1.12 : 1.2,
    letterSpacing: isLatin(content) ? -size / 50 : 0,
    color: palette.name,
  };
}

/** The card: shapes in the background, a large name, the description below it, and the host at the bottom. */
export function designCard(
  name: CardText & { lines: Element | undefined },
  description: CardText,
  place: string,
  palette: Palette,
): Element {
  const isRightToLeft = (name.text ? name : description).isRightToLeft;
  return box(
    {
      width: CARD_WIDTH,
      height: CARD_HEIGHT,
      boxSizing: 'border-box',
      flexDirection: 'column',
      justifyContent: 'space-between',
      padding: `${MARGIN - 8}px ${MARGIN}px ${MARGIN - 20}px`,
      alignItems: isRightToLeft ? 'flex-end' : 'flex-start',
      backgroundImage: `linear-gradient(135deg, ${palette.ground} 40%, ${palette.groundEnd})`,
    },
    [
      shapes(palette, isRightToLeft),
      box({ width: 72, height: 10, borderRadius: 5, background: palette.accent }, []),
      box(
        { flexDirection: 'column', width: TEXT_WIDTH, alignItems: isRightToLeft ? 'flex-end' : 'flex-start' },
        [name.lines, descriptionLines(description, palette)].filter((lines) => lines !== undefined),
      ),
      footer(place, palette),
    ],
  );
}

function descriptionLines(description: CardText, palette: Palette): Element | undefined {
  if (!description.text) return undefined;
  return text(description, {
    marginTop: 24,
    fontSize: DESCRIPTION_SIZE,
    fontWeight: 400,
    lineHeight: 1.4,
    lineClamp: 2,
    color: palette.description,
  });
}

function text(content: CardText, style: Record<string, string | number>): Element {
  return {
    type: 'div',
    props: {
      style: {
        display: 'block',
        width: TEXT_WIDTH,
        direction: content.isRightToLeft ? 'rtl' : 'ltr',
        // Korean breaks between words. Text without a place to break can break anywhere.
        wordBreak: /\p{Script=Hangul}/u.test(content.text) ? 'keep-all' : 'normal',
        overflowWrap: 'anywhere',
        ...style,
      },
      children: [content.text],
    },
  };
}

function footer(place: string, palette: Palette): Element {
  return box(
    { height: 36, alignItems: 'center', fontSize: 26, fontWeight: 400, color: palette.description },
    [place],
  );
}

/** Three overlapping sheets of paper, half outside the card, on the side where lines end. */
function shapes(palette: Palette, isRightToLeft: boolean): Element {
  const [far, middle, near] = palette.shapes;
  const side = isRightToLeft ? 'left' : 'right';
  const turn = isRightToLeft ? -1 : 1;
  const sheet = (color: string, out: number, top: number, degrees: number) =>
    box(
      {
        position: 'absolute',
        [side]: -out,
        top,
        width: 300,
        height: 420,
        borderRadius: 28,
        background: color,
        transform: `rotate(${degrees * turn}deg)`,
      },
      [],
    );
  return box({ position: 'absolute', top: 0, left: 0, width: CARD_WIDTH, height: CARD_HEIGHT }, [
    sheet(far, 160, 60, 24),
    sheet(middle, 200, 130, 14),
    sheet(near, 240, 205, 4),
  ]);
}

function box(style: Record<string, string | number>, children: Array<Element | string>): Element {
  return { type: 'div', props: { style: { display: 'flex', ...style }, children } };
}

function isLatin(content: string): boolean {
  return !/[^\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Common}]/u.test(content);
}
