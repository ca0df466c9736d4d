/** Draws the card of a page as PNG, on this machine and at no cost: the same card, the same picture. */
export { drawCard } from './card/card.ts';
/** The size of a card, which is also that of every preview picture. */
export { CARD_HEIGHT, CARD_WIDTH } from './card/design.ts';
/** What a card says. */
export type { Card } from './card/layout.ts';
/** Finds the page's own colours in its HTML. */
export { colorsOf } from './card/page-colors.ts';
/** Reads title, description and first heading out of HTML, as plain text. */
export { describeHtml, type PageText } from './card/page-text.ts';
/** Colours of a page, as CSS writes them; each may be missing. */
export type { PageColors } from './card/palette.ts';
/** Finds out what a picture really is, by its bytes, and refuses all but whole PNG, JPEG, WebP, GIF and AVIF. */
export { type CheckedPicture, checkPicture, PICTURE_LIMITS, type PictureLimits } from './check.ts';
/** A picture that cannot be taken, with a message for the person who sent it. */
export { PictureError, type PictureProblem } from './picture-error.ts';
/** Draws a picture anew as PNG: upright, scaled into a frame, and with nothing in it but its pixels. */
export { type ReencodeOptions, reencode } from './reencode.ts';
/** The kinds of picture that are taken. */
export type { PictureType } from './signature.ts';
