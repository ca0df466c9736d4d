/** Wrappers that count: rejections by rate limits, published events, operations on blobs. */
export { countBlobs, countEvents, countLimits } from './counted.ts';
export { describeParts } from './describe-parts.ts';
/** Adds figures to a registry that are read on each scrape. */
export { counter, gauge } from './figures.ts';
/** The process's resource usage: memory, processor, files, and event loop lag. */
export { startProcessFigures } from './process.ts';
/** Counts requests by kind, outcome and duration. */
export { createRequestCounts, REQUEST_KIND, REQUEST_KINDS, type RequestCounts } from './requests.ts';
