import type { Text } from '../../../contract/rules/texts/fill.ts';
import { TextError } from '../../lib/errors.ts';

/** Thrown for a picture that is not accepted. The message is for the person who sent it. */
export class PictureError extends TextError {
  override name = 'PictureError';

  constructor(
    readonly reason: PictureProblem,
    sentence: string,
    values?: Text['values'],
    options?: ErrorOptions,
  ) {
    super(sentence, values, options);
  }
}

/** What is wrong: it is too large, has an unsupported type, is damaged, or too many pictures are being processed. */
export type PictureProblem = 'too-large' | 'unsupported' | 'broken' | 'busy';
