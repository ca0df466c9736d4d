import type { PageError } from '../../../contract/analytics/analytics.ts';
import type { PageError as SeenError } from '../../../contract/checks/page-check.ts';

/** How browsers begin the message of an error. */
const BEGINNING = /^(?:uncaught(?: \(in promise\))?|unhandled rejection:)\s*/i;
const TYPE = /^(\w*(?:Error|Exception)):\s*/;
const ADDRESS = /https?:\/\/[^\s"'()<>]+/g;

function read(message: string): { type: string | undefined; text: string } {
  const plain = message.replace(BEGINNING, '').replace(ADDRESS, '').trim();
  return { type: TYPE.exec(plain)?.[1], text: plain.replace(TYPE, '') };
}

/**
 * Whether an error on a branch is the one that a visitor's browser reported. Browsers word the same error differently, so
 * the kind of error at the same line counts too.
 */
export function isSame(
  reported: Pick<PageError, 'message' | 'line'>,
  seen: Pick<SeenError, 'message' | 'line'>,
): boolean {
  const [a, b] = [read(reported.message), read(seen.message)];
  if (a.text === b.text) return true;
  return a.type !== undefined && a.type === b.type && reported.line !== null && reported.line === seen.line;
}
