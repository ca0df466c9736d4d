/** Publish and subscribe. */
export type { Events, LiveEvent } from './events.ts';
/** Events within one process. */
export { createMemoryEvents } from './memory.ts';
