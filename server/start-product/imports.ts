import { createImports, type ImportsSlice } from '../product/imports/index.ts';
import type { Platform } from '../start-platform.ts';

/** Imports publish through the API. They are connected to it when all routes are known. */
export function startImports(platform: Platform): ImportsSlice {
  return createImports(platform);
}
