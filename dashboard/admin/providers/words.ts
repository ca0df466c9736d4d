import type { Connectable, ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import { t } from '../../texts/index.ts';

/** Why a provider does not work, and what to do about it. */
export const FAILURE_WORDS: Record<ProviderFailure, string> = {
  key: t('The provider does not accept this key. Check that it is complete.'),
  revoked: t('This key was revoked, or its account is closed. Make a new one at the provider.'),
  'key-lost': t(
    'The secret of this server has changed, so the saved key cannot be read. Enter the key again.',
  ),
  forbidden: t('The provider accepts the key, but does not let it use this. Check its permissions there.'),
  money: t('The account at the provider has no money or quota left. Top it up there.'),
  model: t('The provider does not know this model. Check its name.'),
  address: t('There is no such API at this address. It often ends with /v1.'),
  unreachable: t('Nothing answers at this address. Check it, and that the server runs.'),
  certificate: t('No secure connection to this address is possible. Check its certificate.'),
  busy: t('The provider gets too many requests at the moment. Try again in a minute.'),
  slow: t('The provider does not answer in time.'),
  tools: t('The model answers, but cannot call tools. Chats work, and the builder is not offered.'),
  refused: t('The provider refuses the request. Check the model.'),
  response: t('The answer is not that of such an API. Check the address.'),
  failed: t('The provider has a fault of its own. Try again later.'),
};

export const CONNECTABLE_NAMES: Record<Connectable, string> = {
  chat: t('AI chat'),
  images: t('Image generation'),
  'image-search': t('Image search'),
};
