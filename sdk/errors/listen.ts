import { loadScript } from '../load-script.ts';
import type { Self } from '../self.ts';

const MAX_WAITING = 5;

/** Errors that happened before the script that reports them has loaded. */
export type Heard = Array<ErrorEvent | PromiseRejectionEvent>;

/** Listens for errors of the page's scripts. The first one loads what reports them to the owner of the page. */
export function listenForErrors({ api, scripts, isPreview, isRepaired }: Self): void {
  if (isPreview) return;
  const heard: Heard = [];
  const steps = isRepaired && loadScript(`${scripts}/steps.js`, api);
  const hear = (event: Heard[number]) => {
    if (heard.length === 0) Object.assign(loadScript(`${scripts}/errors.js`, api), { heard, steps });
    if (heard.length < MAX_WAITING) heard.push(event);
  };
  addEventListener('error', hear);
  addEventListener('unhandledrejection', hear);
}
