import { AppError } from '../../../lib/errors.ts';
import type { Blobs } from '../../blobs/index.ts';
import type { Events } from '../../coordination/events/index.ts';
import type { Limits } from '../../coordination/limits/index.ts';

/** Counts rejections by the name of the limit. */
export function countLimits(limits: Limits): Limits & { refused: Record<string, number> } {
  const refused: Record<string, number> = {};
  return {
    ...limits,
    refused,
    limit(name, rate, sentence) {
      const limit = limits.limit(name, rate, sentence);
      refused[name] ??= 0;
      const note = (error: unknown) => {
        if (error instanceof AppError && error.code === 'RATE_LIMITED')
          refused[name] = (refused[name] ?? 0) + 1;
        throw error;
      };
      return { ...limit, take: (key, points) => limit.take(key, points).catch(note) };
    },
  };
}

/** Counts published events. */
export function countEvents<Message>(
  events: Events<Message>,
): Events<Message> & { readonly published: number } {
  let published = 0;
  return {
    follow: (channel, after, listener) => events.follow(channel, after, listener),
    stop: () => events.stop(),
    get published() {
      return published;
    },
    publish(channel, sentence, bytes) {
      published++;
      events.publish(channel, sentence, bytes);
    },
  };
}

type Operation = 'put' | 'get' | 'open' | 'delete';

/** Counts operations on blobs, and failed ones. */
export function countBlobs(
  blobs: Blobs,
): Blobs & { done: Record<Operation, number>; failed: Record<Operation, number> } {
  const done = { put: 0, get: 0, open: 0, delete: 0 };
  const failed = { ...done };
  async function counted<Result>(operation: Operation, work: Promise<Result>): Promise<Result> {
    try {
      const result = await work;
      done[operation]++;
      return result;
    } catch (error) {
      failed[operation]++;
      throw error;
    }
  }
  return {
    ...blobs,
    done,
    failed,
    put: (key, bytes) => counted('put', blobs.put(key, bytes)),
    putFile: (key, path) => counted('put', blobs.putFile(key, path)),
    get: (key) => counted('get', blobs.get(key)),
    open: (key) => counted('open', blobs.open(key)),
    slice: (key, range) => counted('open', blobs.slice(key, range)),
    delete: (key) => counted('delete', blobs.delete(key)),
  };
}
