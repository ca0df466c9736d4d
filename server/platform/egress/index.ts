export { shareDescriptors } from './descriptors.ts';
export { Egress, type Pass } from './egress.ts';
export { ExternalFetchError, type ExternalResponse, fetchExternal } from './fetch-external.ts';
export { EGRESS_LINE } from './refusals.ts';
