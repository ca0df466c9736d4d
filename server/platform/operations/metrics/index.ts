/** Let through what they wrap, and count it: refusals of limits, published events, operations on blobs. */
export { countBlobs, countEvents, countLimits } from './counted.ts';
export { describeParts } from './describe-parts.ts';
/** Puts figures that are kept elsewhere into a registry, read when they are asked for. */
export { counter, gauge } from './figures.ts';
/** What the process takes: memory, processor, files, and how late its event loop is. */
export { startProcessFigures } from './process.ts';
/** Counts requests by kind, outcome and duration. */
export { createRequestCounts, REQUEST_KIND, type RequestCounts } from './requests.ts';
