/** Draws the card of a page locally, as PNG. The same card always gives the same picture. */
export { drawCard } from './card/card.ts';
/** The size of a card, which is also that of every preview picture. */
export { CARD_HEIGHT, CARD_WIDTH } from './card/design.ts';
/** The content of a card. */
export type { Card } from './card/layout.ts';
/** Finds the page's own colours in its HTML. */
export { findColors } from './card/page-colors.ts';
/** Reads the title, the description and the first heading from HTML, as plain text. */
export { describeHtml, type PageText } from './card/page-text.ts';
/** Colours of a page in CSS notation. Each may be missing. */
export type { PageColors } from './card/palette.ts';
/** Detects the type of a picture by its bytes. Accepts only complete PNG, JPEG, WebP, GIF and AVIF. */
export { type CheckedPicture, checkPicture, PICTURE_LIMITS, type PictureLimits } from './check.ts';
/** Thrown for a picture that is not accepted. The message is for the person who sent it. */
export { PictureError, type PictureProblem } from './picture-error.ts';
/** Encodes a picture again as PNG: upright, scaled to fit a frame, and without metadata. */
export { type ReencodeOptions, reencode } from './reencode.ts';
/** The library that decodes and draws pictures, loaded on first use. */
export { loadSharp } from './sharp.ts';
/** The supported image types. */
export type { PictureType } from './signature.ts';
/** Encodes a picture as WebP of a given size, within a number of bytes. */
export { smallWebp } from './small-webp.ts';
