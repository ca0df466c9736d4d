/** What the nodes of a cluster share. */
export {
  deriveClusterKey,
  isClusterKey,
  readClusterKey,
  replaceClusterKey,
  resealClusterKey,
} from './cluster-key.ts';
/** The models and searches that administrators connect. */
export { Connections } from './connections.ts';
/** How this server presents itself. */
export { InstanceSettings } from './instance.ts';
/** How a server and a command replace the key of the service. */
export {
  findNodesWithout,
  finishRotation,
  forgetOtherNodes,
  KeyRotation,
  readKeyInUse,
  useKey,
} from './key-rotation.ts';
export { type Look, look, QUIRE_LOOK, setLook } from './look.ts';
/** A connection with its key, and the providers with it. */
export { type OpenConnection, withConnection } from './open-connection.ts';
/** What administrators set while the service runs. */
export { lockSetting, ServiceSettings } from './service-settings.ts';
/** How the nodes of a cluster follow a change of the number of shards. */
export { askForShards, findNodesBehind, forgetShardsAsked, ShardWatch } from './shard-watch.ts';
/** Settings that are valid from a moment. */
export { fixSetting, forgetSettingOutside, settingSince } from './store.ts';
/** What commands need to know about connections without a server. */
export { areKeysSealedWith, readNewUserCredits, resealProviderKeys } from './stored-connections.ts';
