import type { PaletteEntry } from './entries.ts';

/** What somebody opened last with the palette, stored in this browser. */

const MOST = 6;
type Stored = Pick<PaletteEntry, 'id' | 'label' | 'icon' | 'note' | 'href' | 'isExternal'>;

/** The key has the user's id, so that another person who logs in to this browser does not see it. */
const toStorageKey = (userId: number) => `quire-recent-${userId}`;

export function readRecent(userId: number): Stored[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(toStorageKey(userId)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isStored).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

const isStored = (value: unknown): value is Stored =>
  typeof value === 'object' &&
  value !== null &&
  ['id', 'label', 'icon', 'href'].every(
    (name) => typeof (value as Record<string, unknown>)[name] === 'string',
  );

export function addRecent(userId: number, { id, label, icon, note, href, isExternal }: PaletteEntry): void {
  const entry = {
    id,
    label,
    icon,
    ...(note && { note }),
    ...(href && { href }),
    ...(isExternal && { isExternal }),
  };
  const others = readRecent(userId).filter((each) => each.id !== id);
  try {
    localStorage.setItem(toStorageKey(userId), JSON.stringify([entry, ...others].slice(0, MOST)));
  } catch {
    // Storage is full or disabled: the palette works without it.
  }
}
