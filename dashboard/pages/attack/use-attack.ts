import { signal } from '@preact/signals';
import { useState } from 'preact/hooks';
import type { Finding } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { call } from '../../api.ts';
import { type KeptReport, keepReport, readReport } from './kept.ts';

/** An attack can take longer than other requests. */
const ATTACK_MS = 180_000;

interface State {
  isRunning: boolean;
  failure?: Error;
  kept: KeptReport | undefined;
}

/** The attacks of this window by the id of the page: they go on while somebody looks at another screen. */
const attacks = signal<ReadonlyMap<number, State>>(new Map());

const set = (pageId: number, state: State) => {
  attacks.value = new Map(attacks.value).set(pageId, state);
};

/** The attack on a page that runs or has ended in this window. */
export function useAttack(pageId: number) {
  const [stored] = useState(() => readReport(pageId));
  const state = attacks.value.get(pageId) ?? { isRunning: false, kept: stored };
  const keep = (kept: KeptReport) => {
    keepReport(pageId, kept);
    set(pageId, { isRunning: false, kept });
  };
  return {
    ...state,
    async attack() {
      const { kept } = state;
      set(pageId, { isRunning: true, kept });
      try {
        const given = { params: { id: pageId }, validForMs: ATTACK_MS };
        const report = await call(attackEndpoints.attackPage, given);
        keep({ report, at: new Date().toISOString() });
      } catch (error) {
        set(pageId, { isRunning: false, failure: error as Error, kept });
      }
    },
    /** Notes that somebody said that a finding is meant so, or took that back. */
    mark({ key }: Finding, meant: Finding['meant']) {
      if (!state.kept) return;
      const { report, at } = state.kept;
      const findings = report.findings.map((each) => (each.key === key ? { ...each, meant } : each));
      keep({ report: { ...report, findings }, at });
    },
  };
}
