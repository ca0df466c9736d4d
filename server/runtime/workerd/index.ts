export type { BoxUser } from './box/box-users.ts';
export {
  type Box,
  dataPath,
  INFO_FD,
  type Launch,
  launch,
  PROGRAM,
  type Sandbox,
  SandboxError,
} from './box/sandbox.ts';
export { parseInnerPid, spawnBoxed } from './box/spawn-boxed.ts';
export { checkRuntime } from './check.ts';
export {
  bridgeConfig,
  cellConfig,
  clusterHostConfig,
  databaseHostConfig,
  egressConfig,
} from './config-text.ts';
/** Control groups limit the memory of processes. */
export type { ControlGroup, ControlGroups } from './control-groups.ts';
export { startHelper } from './helper.ts';
export { MemoryFloor, MemoryWatch, memoryBounds, readMemory } from './memory.ts';
export {
  type ClusterProblem,
  internalErrorReference,
  type ModuleError,
  parseClusterProblem,
  parseConnectFailure,
  parseInternalError,
  parseModuleError,
  startFailureReason,
} from './messages.ts';
export { createNetworkFiles, hasCertificates, type NetworkFiles } from './network-files.ts';
export { readDescriptor } from './output.ts';
export type { OwnerId } from './owner.ts';
export { PRIORITIES, setProcessPriority } from './priority.ts';
export { SERVE, StartError, startWorkerd, type WorkerdProcess } from './process.ts';
export { createRuntime, findLibraries, type Runtime } from './runtime.ts';
export { openSockets } from './socket.ts';
export { type Boxes, startBoxes } from './start.ts';
