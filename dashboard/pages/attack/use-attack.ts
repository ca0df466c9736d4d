import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Finding, PageAttack } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { call } from '../../api.ts';

/** An attack can take longer than other requests. */
const ATTACK_MS = 180_000;

interface State {
  isRunning: boolean;
  failure?: Error;
  /** What the last attack has found; null if there was none, undefined until it is known. */
  last: PageAttack | null | undefined;
}

/** The attacks by the id of the page: those that this window began go on while somebody looks at another screen. */
const attacks = signal<ReadonlyMap<number, State>>(new Map());

const set = (pageId: number, state: State) => {
  attacks.value = new Map(attacks.value).set(pageId, state);
};
const find = (pageId: number): State => attacks.value.get(pageId) ?? { isRunning: false, last: undefined };

/** The last attack on a page, and the one that runs in this window. */
export function useAttack(pageId: number) {
  const read = async () => {
    const params = { id: pageId };
    try {
      const { attack: last } = await call(attackEndpoints.readAttack, { params });
      set(pageId, { isRunning: find(pageId).isRunning, last });
    } catch (error) {
      set(pageId, { ...find(pageId), failure: error as Error });
    }
  };
  useEffect(() => {
    if (!find(pageId).isRunning) void read();
  }, [pageId]);
  return {
    ...find(pageId),
    read,
    async attack() {
      const { last } = find(pageId);
      set(pageId, { isRunning: true, last });
      try {
        const given = { params: { id: pageId }, validForMs: ATTACK_MS };
        set(pageId, { isRunning: false, last: await call(attackEndpoints.attackPage, given) });
      } catch (error) {
        set(pageId, { isRunning: false, failure: error as Error, last });
      }
    },
    /** Notes that somebody said that a finding is meant so, or took that back. */
    mark({ key }: Finding, meant: Finding['meant']) {
      const { last } = find(pageId);
      if (!last) return;
      const findings = last.findings.map((each) => (each.key === key ? { ...each, meant } : each));
      set(pageId, { isRunning: false, last: { ...last, findings } });
    },
  };
}
