import type { ProviderFailure } from '../../../../contract/rules/provider-kinds.ts';

/** What went wrong with a provider, and what to do about it. */
export const FAILURE_WORDS: Record<ProviderFailure, string> = {
  key: 'The provider does not accept this key. Check that it is complete.',
  revoked: 'This key was revoked, or its account is closed. Make a new one at the provider.',
  'key-lost': 'The secret of this server has changed, so the saved key cannot be read. Enter the key again.',
  forbidden: 'The provider accepts the key, but does not let it use this. Check its permissions there.',
  money: 'The account at the provider has no money or quota left. Top it up there.',
  model: 'The provider does not know this model. Check its name.',
  address: 'There is no such API at this address. It often ends with /v1.',
  unreachable: 'Nothing answers at this address. Check it, and that the server runs.',
  certificate: 'No secure connection to this address is possible. Check its certificate.',
  busy: 'The provider gets too many requests at the moment. Try again in a minute.',
  slow: 'The provider does not answer in time.',
  tools: 'The model answers, but cannot call tools. Chats work, and the builder is not offered.',
  refused: 'The provider refuses the request. Check the model.',
  response: 'The answer is not that of such an API. Check the address.',
  failed: 'The provider has a fault of its own. Try again later.',
};
