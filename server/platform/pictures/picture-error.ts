/** A picture that cannot be taken, with a message for the person who sent it. */
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

/** What is wrong: too much of it, not a picture we take, a damaged one, or too many at the moment. */
export type PictureProblem = 'too-large' | 'unsupported' | 'broken' | 'busy';
