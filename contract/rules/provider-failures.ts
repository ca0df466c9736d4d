import type { ProviderFailure } from './provider-kinds.ts';
import { phrase, type Text } from './texts/fill.ts';

/** What went wrong with a provider, and what to do about it. */
export const FAILURE_WORDS: Record<ProviderFailure, Text> = {
  key: phrase('The provider does not accept this key. Check that it is complete.'),
  revoked: phrase('This key was revoked, or its account is closed. Make a new one at the provider.'),
  'key-lost': phrase(
    'The secret of this server has changed, so the saved key cannot be read. Enter the key again.',
  ),
  forbidden: phrase(
    'The provider accepts the key, but does not let it use this. Check its permissions there.',
  ),
  money: phrase('The account at the provider has no money or quota left. Top it up there.'),
  model: phrase('The provider does not know this model. Check its name.'),
  address: phrase('There is no such API at this address. It often ends with /v1.'),
  unreachable: phrase('Nothing answers at this address. Check it, and that the server runs.'),
  certificate: phrase('No secure connection to this address is possible. Check its certificate.'),
  busy: phrase('The provider gets too many requests at the moment. Try again in a minute.'),
  slow: phrase('The provider does not answer in time.'),
  tools: phrase('The model answers, but cannot call tools. Chats work, and the builder is not offered.'),
  refused: phrase('The provider refuses the request. Check the model.'),
  response: phrase('The answer is not that of such an API. Check the address.'),
  failed: phrase('The provider has a fault of its own. Try again later.'),
};
