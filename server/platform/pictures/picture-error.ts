/** Thrown for a picture that is not accepted. The message is for the person who sent it. */
export class PictureError extends Error {
  override name = 'PictureError';

  constructor(
    readonly reason: PictureProblem,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What is wrong: it is too large, has an unsupported type, is damaged, or too many pictures are being processed. */
export type PictureProblem = 'too-large' | 'unsupported' | 'broken' | 'busy';
