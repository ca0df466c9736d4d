import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';

/** A duration in words, always rounded up. */
export function toWait(seconds: number): Text {
  if (seconds < 100)
    return phrase('in {count|{count} second|{count} seconds}', { count: Math.ceil(seconds) });
  const minutes = Math.ceil(seconds / 60);
  if (seconds < 100 * 60) return phrase('in {count|{count} minute|{count} minutes}', { count: minutes });
  return phrase('in {count|{count} hour|{count} hours}', { count: Math.ceil(seconds / 3600) });
}
