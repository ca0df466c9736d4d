import { z } from 'zod';
import { email } from '../accounts/accounts.ts';
import { CONNECTABLE, PROVIDER_FAILURES } from '../rules/provider-kinds.ts';
import { choiceRule } from '../rules/texts/rule.ts';
import { Connection, NewConnection } from './connections.ts';

/** The wire shapes of the external services that this server uses, for administrators. */

export const PROVIDERS = ['mail', 'single-sign-on', ...CONNECTABLE, 'browser', 'packages'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export const providerParams = z.object({
  name: z.enum(PROVIDERS, { error: choiceRule(PROVIDERS) }),
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
  connection: Connection.nullable().meta({
    description: 'How it is connected. Null if only the environment of the server can connect it.',
  }),
  problem: z
    .enum(PROVIDER_FAILURES)
    .nullable()
    .meta({ description: 'Why the last call failed, if the next ones will fail too.' }),
});
export type ProviderStatus = z.infer<typeof ProviderStatus>;
export const ProviderList = z.object({ providers: z.array(ProviderStatus) });
export type ProviderList = z.infer<typeof ProviderList>;

export const ProviderTest = z.strictObject({
  to: email.optional().meta({ description: 'Only for mail: where to send a test mail.' }),
  connection: NewConnection.optional().meta({
    description: 'Only for chat, images and image search: what to test instead of what is in use.',
  }),
});
export type ProviderTest = z.infer<typeof ProviderTest>;

export const ProviderResult = z.object({
  isWorking: z.boolean(),
  message: z.string(),
  durationMs: z.int(),
  reason: z
    .enum(PROVIDER_FAILURES)
    .nullable()
    .meta({ description: 'Why it does not work. `tools`: it works, but the model cannot call tools.' }),
  models: z
    .array(z.string())
    .optional()
    .meta({ description: 'The models that the provider has, if it does not know the one that was asked.' }),
});
export type ProviderResult = z.infer<typeof ProviderResult>;
