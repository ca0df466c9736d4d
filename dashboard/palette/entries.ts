import type { IconName } from '../ui/index.ts';
import { type Match, match } from './match.ts';

/** Something that the palette can open or do. */
export interface PaletteEntry {
  /** Unique among all: `page 12`. */
  id: string;
  group: string;
  label: string;
  icon: IconName;
  /** Shown behind the label, and searched too. */
  note?: string;
  /** Words that find it but are not shown. */
  keywords?: string;
  href?: string;
  /** Loads the address as a new document. */
  isExternal?: boolean;
  run?: () => unknown;
  keys?: string;
  /** The service has found it, so it fits even if its label does not. */
  isFound?: boolean;
  /** To read about, not to work on: listed after what fits as well. */
  isReference?: boolean;
}

export interface Hit extends Match {
  entry: PaletteEntry;
}

const MOST_IN_GROUP = 6;
/** More than the difference between a short and a long label, less than that between the beginning of a word and its inside. */
const REFERENCE_PENALTY = 10;

/** The entries that fit, in groups. The group with the best entry comes first. */
export function rank(entries: readonly PaletteEntry[], query: string): Map<string, Hit[]> {
  const all = entries.flatMap((entry): Hit[] => {
    const found = fit(entry, query);
    if (!found) return [];
    return [{ entry, ...found, score: found.score - (entry.isReference ? REFERENCE_PENALTY : 0) }];
  });
  // Scattered letters help with a typing error, and are noise where whole words fit.
  const clear = all.filter(({ isScattered }) => !isScattered);
  const hits = clear.length > 0 ? clear : all;
  if (query) hits.sort((a, b) => b.score - a.score);
  const groups = new Map<string, Hit[]>();
  const seen = new Set<string>();
  for (const hit of hits) {
    const group = groups.get(hit.entry.group) ?? [];
    if (seen.has(hit.entry.id) || group.length >= MOST_IN_GROUP) continue;
    seen.add(hit.entry.id);
    groups.set(hit.entry.group, [...group, hit]);
  }
  return groups;
}

/** The label counts more than the note. */
function fit({ label, note, keywords, isFound }: PaletteEntry, query: string): Match | undefined {
  const byLabel = match(label, query);
  if (byLabel) return byLabel;
  const byRest = match(`${label} ${note ?? ''} ${keywords ?? ''}`, query);
  if (byRest) return { ...byRest, score: byRest.score / 2, letters: new Set() };
  return isFound ? { score: 1, letters: new Set(), isScattered: false } : undefined;
}
