export { Bundler, MAX_BUNDLE_BYTES } from './bundler.ts';
export { CompileError } from './faults.ts';
export { MAIN, type Source } from './source.ts';
