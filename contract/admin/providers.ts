import { z } from 'zod';
import { email } from '../accounts/accounts.ts';
import { rule } from '../rules/texts/rule.ts';

/** The wire shapes of the external services that this server uses, for administrators. */

export const PROVIDERS = [
  'mail',
  'single-sign-on',
  'chat',
  'images',
  'image-search',
  'browser',
  'packages',
] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const providerParams = z.object({
  name: z.enum(PROVIDERS, { error: rule('must be one of {values}', { values: PROVIDERS.join(', ') }) }),
});

const PROVIDER_STATES = ['configured', 'demo', 'off'] as const;

export const ProviderStatus = z.object({
  name: z.enum(PROVIDERS),
  state: z
    .enum(PROVIDER_STATES)
    .meta({ description: '`demo` is a built-in stand-in that needs no other service.' }),
  uses: z.string().meta({ description: 'Such as the name of a model; empty if the provider is off.' }),
  host: z.string().nullable().meta({ description: 'The host that the server connects to.' }),
  setting: z.string().meta({ description: 'The setting that turns the provider on.' }),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
export const ProviderList = z.object({ providers: z.array(ProviderStatus) });
export type ProviderList = z.infer<typeof ProviderList>;

export const ProviderTest = z.strictObject({
  to: email.optional().meta({ description: 'Only for mail: where to send a test mail.' }),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

export const ProviderResult = z.object({
  isWorking: z.boolean(),
  message: z.string(),
  durationMs: z.int(),
});
export type ProviderResult = z.infer<typeof ProviderResult>;
