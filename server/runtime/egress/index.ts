export { shareDescriptors } from './descriptors.ts';
export { Egress, type Pass } from './egress.ts';
export {
  ExternalFetchError,
  type ExternalRequest,
  type ExternalResponse,
  fetchExternal,
} from './fetch-external.ts';
export { EGRESS_LINE } from './refusals.ts';
