export { Bundler } from './bundler.ts';
export { CompileError } from './faults.ts';
export type { GeneratedCode } from './inspect/inspect-bundle.ts';
export { explainMissingModule } from './missing-module.ts';
/** For operators who want to know whether the registry of packages works. */
export { PackageError } from './packages/package-error.ts';
export { Registry } from './packages/registry.ts';
export { MAX_BUNDLE_BYTES } from './refusals.ts';
export { MAIN, type Source } from './source.ts';
export type { BundlePart } from './source-map.ts';
