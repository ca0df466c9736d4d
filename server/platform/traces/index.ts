/** What code does in a trace: its current span, and spans inside of it. */
export {
  currentSpan,
  keepSpan,
  nameRequest,
  noteStatement,
  outsideSpan,
  runRequest,
  runResponding,
  runSpan,
  startSpan,
  startStatement,
} from './current.ts';
/** A part of a trace. */
export type { Span } from './span.ts';
/** Decides which requests are traced, and sends their spans. */
export { Traces } from './traces.ts';
