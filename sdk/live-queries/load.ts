import type { Self } from '../self.ts';

type Module = typeof import('./index.ts');

/** Most pages follow nothing, so what they need for it is loaded when they do. */
export const loadLive = ({ scripts }: Self): Promise<Module> => import(`${scripts}/live-queries.js`);

/** Begins a live query. Returns a function that ends it. */
export function startLive(self: Self, begin: (module: Module) => () => void): () => void {
  const stopping = loadLive(self).then(begin);
  return () => void stopping.then((stop) => stop());
}
