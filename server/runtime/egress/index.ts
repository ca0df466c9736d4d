export { shareDescriptors } from './descriptors.ts';
export { Egress, type Pass } from './egress.ts';
export {
  createFetchExternal,
  ExternalFetchError,
  type ExternalRequest,
  type ExternalResponse,
  type FetchExternal,
} from './fetch-external.ts';
export { EGRESS_LINE } from './refusals.ts';
