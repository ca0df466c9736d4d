import satori from 'satori';
import { CARD_HEIGHT, CARD_WIDTH, designCard, type Element, fitName } from './design.ts';
import { drawEmoji } from './emoji.ts';
import { chooseFonts, type Font } from './fonts.ts';
import { makePalette, type PageColors } from './palette.ts';
import { cleanText, direct, graphemes, isEmoji, withoutMissing } from './text.ts';

/** The content of a card. */
export interface Card {
  name: string;
  description?: string | undefined;
  colors?: PageColors | undefined;
  /** The service's URL. Its host name is shown at the bottom. */
  baseUrl?: string | undefined;
}

const MAX_NAME = 160;
const MAX_DESCRIPTION = 220;
const MAX_PLACE = 50;

/** Lays a card out as SVG. Every letter is a path, so the renderer needs no fonts. */
export async function layOutCard(card: Card): Promise<string> {
  // A system font that the layout engine cannot handle must not prevent the card, so try again without system fonts.
  return layOut(card).catch(() => layOut(card, 0));
}

async function layOut(card: Card, maxSystemFonts?: number): Promise<string> {
  const name = cleanText(card.name, MAX_NAME);
  const description = cleanText(card.description ?? '', MAX_DESCRIPTION);
  const place = cleanText(readHost(card.baseUrl), MAX_PLACE);
  const palette = makePalette(card.colors ?? {}, name);

  const letters = graphemes(`${name} ${description} ${place}`).filter((one) => !isEmoji(one));
  const { fonts, missing } = await chooseFonts(letters.join(''), maxSystemFonts);
  const emoji = await drawEmoji(`${name} ${description}`, palette.accent);
  for (const one of graphemes(name + description)) if (isEmoji(one) && !emoji[one]) missing.add(one);

  const drawable = (text: string) => direct(withoutMissing(text, missing));
  const options = { fonts: sameArray(fonts), graphemeImages: emoji };
  const measureHeight = async (lines: Element, width: number) =>
    Number(/ height="([\d.]+)"/.exec(await satori(lines, { ...options, width }))?.[1]);

  const shown = { name: drawable(name), description: drawable(description), place };
  // No font can draw the name: show the host instead of rows of boxes.
  if (!shown.name.text && !shown.description.text) {
    shown.name = direct(place);
    shown.place = '';
  }
  const lines = await fitName(shown.name, shown.description.text !== '', palette, measureHeight);
  const element = designCard({ ...shown.name, lines }, shown.description, shown.place, palette);
  return satori(element, { ...options, width: CARD_WIDTH, height: CARD_HEIGHT });
}

const MAX_FONT_SETS = 8;
const fontSets = new Map<string, Font[]>();

/** The layout engine caches parsed fonts by array identity, so equal choices must be the same array. */
function sameArray(fonts: Font[]): Font[] {
  const key = fonts.map((font) => `${font.name}-${font.weight}`).join();
  const known = fontSets.get(key) ?? fonts;
  fontSets.delete(key);
  fontSets.set(key, known);
  for (const oldest of fontSets.keys()) {
    if (fontSets.size <= MAX_FONT_SETS) break;
    fontSets.delete(oldest);
  }
  return known;
}

function readHost(url: string | undefined): string {
  return url && URL.canParse(url) ? new URL(url).host : '';
}
