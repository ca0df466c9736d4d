import type { Rect } from '../messages.ts';

interface Size {
  width: number;
  height: number;
}

const GAP = 14;
const EDGE = 8;

/** Where a card goes so that it does not cover what it is about: below it, above, beside it, or else at the bottom. */
export function placeCard(rect: Rect, card: Size, room: Size): { left: number; top: number } {
  const left = Math.max(EDGE, Math.min(rect.x, room.width - card.width - EDGE));
  const below = rect.y + rect.height + GAP;
  const above = rect.y - GAP - card.height;
  const lowest = room.height - card.height - EDGE;
  if (below <= lowest && below >= 0) return { left, top: below };
  if (above >= EDGE && above <= lowest) return { left, top: above };
  const top = Math.max(EDGE, Math.min(rect.y, lowest));
  const right = rect.x + rect.width + GAP;
  if (right >= EDGE && right + card.width + EDGE <= room.width) return { left: right, top };
  const before = rect.x - GAP - card.width;
  if (before >= EDGE && before + card.width + EDGE <= room.width) return { left: before, top };
  return { left: Math.max(EDGE, room.width - card.width - EDGE), top: Math.max(EDGE, lowest) };
}
