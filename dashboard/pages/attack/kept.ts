import type { AttackReport } from '../../../contract/attack/attack.ts';
import { me } from '../../session.ts';

/** The last attack on each page in this window, so that leaving the screen or loading it again loses nothing. */
export interface KeptReport {
  report: AttackReport;
  /** When it ended. */
  at: string;
}

const toKey = (pageId: number) => `quire-attack-${me.value?.id}-${pageId}`;

export function readReport(pageId: number): KeptReport | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(toKey(pageId)) ?? 'null') as KeptReport | null) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepReport(pageId: number, kept: KeptReport): void {
  try {
    sessionStorage.setItem(toKey(pageId), JSON.stringify(kept));
  } catch {
    // Storage is disabled or full: another attack finds the same.
  }
}
