import { readSecretFiles } from './secret-files.ts';
import { SETTING_NAMES, Settings } from './settings.ts';

/** Settings of which each node of a cluster has its own. */
const OWN_SETTINGS = ['QUIRE_HOST', 'QUIRE_CLUSTER_ADDRESS'] as const;
type OwnSetting = (typeof OWN_SETTINGS)[number];

/** The settings that all nodes of a cluster share. What is in files of secrets is among them. */
export function readSharedSettings(environment: Record<string, string | undefined>): Record<string, string> {
  const { environment: complete } = readSecretFiles(environment);
  const isOwn = (name: string) => OWN_SETTINGS.some((own) => own === name);
  const shared = SETTING_NAMES.filter((name) => !isOwn(name) && complete[name]);
  return Object.fromEntries(shared.map((name) => [name, complete[name] ?? '']));
}

/** What is wrong with a node's own setting; undefined if it is right. */
export function findFault(name: OwnSetting, value: string): string | undefined {
  return Settings.shape[name].safeParse(value).error?.issues[0]?.message;
}
