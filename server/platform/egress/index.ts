export { shareDescriptors } from './descriptors.ts';
export { type Egress, startEgress } from './egress.ts';
export { type OutsideAnswer, OutsideError, readOutside } from './fetch-external.ts';
export { EGRESS_LINE } from './refusals.ts';
