import { TRIAL_SENT_BYTES, TRIALS_WINDOW_SECONDS } from '../../../../contract/templates/wishes.ts';
import { readLength } from '../body/body.ts';

/** The part of `Limits` that is used here. */
interface ByteLimits {
  limit(name: string, rate: { points: number; seconds: number }, sentence: string): ByteLimit;
}
interface ByteLimit {
  take(key: string, bytes: number): Promise<void>;
}

/** What a request costs in addition to its bytes, because what it stores has more than its text. */
export const TRIAL_REQUEST_BYTES = 512;

/** The part of what all trials can store that one of them can have, counted by what its visitor sends. */
export class TrialShare {
  readonly #limit: ByteLimit;

  constructor(limits: ByteLimits) {
    // Longer than any trial, so that a share is never used twice.
    const rate = { points: TRIAL_SENT_BYTES, seconds: TRIALS_WINDOW_SECONDS };
    this.#limit = limits.limit(
      'trial-bytes',
      rate,
      'You have stored as much as a page that is only tried can have. Publish it to store more.',
    );
  }

  /** Takes the bytes of a request from the share of a trial, or rejects with 429. */
  take(pageId: number, request: Request): Promise<void> {
    const isUnknown = readLength(request) === undefined && request.body !== null;
    // A body without a length can be of any.
    const bytes = isUnknown ? TRIAL_SENT_BYTES : (readLength(request) ?? 0);
    return this.#limit.take(String(pageId), bytes + request.url.length + TRIAL_REQUEST_BYTES);
  }
}
