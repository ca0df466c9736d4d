import { loadScript } from '../load-script.ts';
import type { Self } from '../self.ts';

/** Reloads the page after each new version, if `quire dev` opened it. Otherwise nothing is loaded. */
export function loadReload({ api, scripts }: Self): void {
  if (location.search.includes('quire-dev')) loadScript(`${scripts}/reload.js`, api);
}
