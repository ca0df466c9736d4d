import type { Fault } from '../../../../contract/errors.ts';
import { sayFault, t } from '../../../texts/index.ts';
import { type CollectionSchema, type CollectionTarget, readAll } from '../api.ts';

/** Whether existing records match a schema, by the rules of the service. */

const MAX_CHECKED = 1_000;
const MAX_SHOWN = 10;

export interface Fit {
  checked: number;
  total: number;
  misfits: number;
  /** The first of them. */
  shown: Array<{ id: string; faults: string[] }>;
}

export async function checkFit(
  target: CollectionTarget,
  schema: CollectionSchema,
  options: { signal: AbortSignal; onProgress: (done: number, total: number) => void },
): Promise<Fit> {
  // The rules bring a large parser of patterns, so they load only when they are needed.
  const { findFaults, gapIn } = await import('./rules.ts');
  const gap = gapIn(schema.fields);
  const incomplete = gap && t('The schema is not complete: {gap}.', { gap });
  if (incomplete) throw new Error(incomplete);
  const fit: Fit = { checked: 0, total: 0, misfits: 0, shown: [] };
  for await (const { records, total } of readAll(target, {}, options.signal)) {
    fit.total = total;
    for (const { id, data } of records) {
      const faults = findFaults(schema, data, 'whole record');
      fit.checked += 1;
      if (faults.length === 0) continue;
      fit.misfits += 1;
      if (fit.shown.length < MAX_SHOWN) fit.shown.push({ id, faults: faults.map(inWords) });
    }
    options.onProgress(fit.checked, Math.min(total, MAX_CHECKED));
    if (fit.checked >= MAX_CHECKED) break;
  }
  return fit;
}

const inWords = (fault: Fault) => `${fault.path.replace(/^data\./, '')} ${sayFault(fault)}`;
