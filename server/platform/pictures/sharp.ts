import type sharp from 'sharp';

let loading: Promise<typeof sharp> | undefined;

/** Loads the library that decodes and draws pictures. Most servers start without needing it. */
export function loadSharp(): Promise<typeof sharp> {
  // By its path: a compiled program has no packages in it.
  loading ??= import(Bun.resolveSync('sharp', import.meta.dir)).then((loaded: { default: typeof sharp }) => {
    // One thread per picture and no cache of results: pictures may be slow, but the server must not be.
    loaded.default.concurrency(1);
    loaded.default.cache(false);
    return loaded.default;
  });
  return loading;
}
