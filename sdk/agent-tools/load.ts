import { loadScript } from '../load-script.ts';
import type { Self } from '../self.ts';
import { findModelContext } from './model-context.ts';

/** Offers the page's tools to the browser's agent, if it has one. Otherwise nothing is loaded. */
export function loadAgentTools({ agent, scripts }: Self): void {
  if (findModelContext()) loadScript(`${scripts}/agent-tools.js`, agent);
}
