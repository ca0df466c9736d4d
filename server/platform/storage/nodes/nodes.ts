import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../lib/errors.ts';
import { readNodeName } from '../data-folder.ts';
import type { Db } from '../handles.ts';
import {
  claimDatabases,
  countDatabases,
  type FoundNode,
  listNodes,
  lockNodes,
  noteNode,
  replaceNodes,
} from './store.ts';

/** Thrown if this node cannot run next to the others on its PostgreSQL. The message says what to do. */
export class NodeError extends Error {}

/** What a node registers with QUIRE_CLUSTER_TLS, so that others know it. */
interface NodeIdentity {
  /** The SHA-256 of its certificate. */
  fingerprint: string;
  /** Names the loopback that it shares with other nodes of its machine. */
  network: string;
}

/** Another node of a cluster with QUIRE_CLUSTER_TLS. */
export interface Peer extends NodeIdentity {
  name: string;
  address: string;
  number: number;
}

/** This node's registration among those on the same PostgreSQL. */
export interface NodeLease {
  /** With QUIRE_CLUSTER_TLS: its number among the nodes of the cluster. */
  number: number | undefined;
  /** The other nodes with QUIRE_CLUSTER_TLS, also those that do not run now. */
  listPeers(): Promise<Peer[]>;
  /** Throws unless this node may store function databases in its data folder. */
  assertKeepsDatabases(): Promise<void>;
  stop(): Promise<void>;
}

interface NodeOptions {
  /** Stopped if the node may no longer run. */
  storage: { db: Db; engine: 'sqlite' | 'postgres'; stop(): Promise<void> };
  dataFolder: string;
  /** Where other nodes reach this node; undefined for a node that is not in a cluster. */
  address: string | undefined;
  /** Undefined without QUIRE_CLUSTER_TLS. */
  identity?: NodeIdentity | undefined;
  /** Writes a line to the log, for the operator. */
  warn(message: string): void;
}

const NOTE_MS = 2_000;
/** A node that has not renewed its row for this long is not running. */
export const LEASE_MS = 10_000;
const LOOK_AGAIN_MS = 500;

/** The lease on SQLite: no other node uses its file. */
const ALONE: NodeLease = {
  number: undefined,
  listPeers: async () => [],
  assertKeepsDatabases: async () => undefined,
  stop: async () => undefined,
};

/**
 * Registers this node in PostgreSQL for as long as it runs. Only one process can use a data folder, so a node that was
 * killed gets its registration back immediately. A node with another folder waits until the lease has expired.
 */
export async function leaseNode(options: NodeOptions): Promise<NodeLease> {
  const { storage, address, warn } = options;
  if (storage.engine === 'sqlite') return ALONE;
  const { db } = storage;
  const name = readNodeName(options.dataFolder);
  const instance = randomUUID();
  let number: number | undefined;
  try {
    assertFolder(options);
    number = await takePlace(options, { name, instance });
  } catch (error) {
    await storage.stop();
    throw error;
  }

  let isLost = false;
  const noting = setInterval(async () => {
    const isOurs = await noteNode(db, name, instance).catch(() => true);
    if (isOurs || isLost) return;
    isLost = true;
    warn(
      `another node has replaced this one${address === undefined ? '' : ` at ${address}`}; give each node its own QUIRE_DATA and QUIRE_CLUSTER_ADDRESS`,
    );
  }, NOTE_MS);

  let keeps: Promise<boolean> | undefined;
  return {
    number,
    listPeers: async () => (await listNodes(db)).filter((node) => node.name !== name).flatMap(toPeer),
    async assertKeepsDatabases() {
      keeps ??= claimDatabases(db, name).catch((error: unknown) => {
        keeps = undefined;
        throw error;
      });
      if (await keeps) return;
      throw new AppError(
        'UNAVAILABLE',
        'The databases of functions are on another node. The operator has to set QUIRE_CLUSTER_ADDRESS on every node.',
      );
    },
    async stop() {
      clearInterval(noting);
      await noteNode(db, name, instance, 0).catch(() => undefined);
    },
  };
}

function toPeer({ name, address, number, fingerprint, network }: FoundNode): Peer[] {
  if (address === null || number === null || fingerprint === null || network === null) return [];
  return [{ name, address, number, fingerprint, network }];
}

/** Registers this node, and returns its number if it has an identity. */
async function takePlace(
  options: NodeOptions,
  self: { name: string; instance: string },
): Promise<number | undefined> {
  const { storage, address, identity, dataFolder, warn } = options;
  const { fingerprint = null, network = null } = identity ?? {};
  const deadline = performance.now() + LEASE_MS + NOTE_MS;
  const row = { ...self, host: hostname(), address: address ?? null, fingerprint, network };
  for (let isSaid = false; ; isSaid = true) {
    let number: number | undefined;
    const obstacle = await storage.db.transaction().execute(async (tx) => {
      await lockNodes(tx);
      const all = await listNodes(tx);
      const others = all.filter(({ name }) => name !== self.name);
      const found =
        findObstacle(others, address, await countDatabases(tx)) ?? findMixture(others, address, identity);
      if (found) return found;
      number = identity && chooseNumber(all, self.name);
      const keeps_databases = hasLocalDatabases(dataFolder) ? 1 : 0;
      await replaceNodes(tx, { ...row, number: number ?? null, keeps_databases });
      return undefined;
    });
    if (!obstacle) return number;
    if (!obstacle.mayPass || performance.now() > deadline) throw new NodeError(obstacle.message);
    if (!isSaid)
      warn(`${obstacle.message} Waiting for up to ${(LEASE_MS + NOTE_MS) / 1000} s, in case it has ended.`);
    await Bun.sleep(LOOK_AGAIN_MS);
  }
}

interface Obstacle {
  message: string;
  /** True if the other node may just have ended, so that it is worth waiting. */
  mayPass: boolean;
}

function findObstacle(
  others: FoundNode[],
  address: string | undefined,
  databases: number,
): Obstacle | undefined {
  const runs = ({ age }: FoundNode) => age < LEASE_MS;
  const keeper = others.find(({ keeps_databases }) => keeps_databases === 1);
  if (address === undefined) {
    const member = others.find((other) => other.address !== null);
    if (member)
      return {
        mayPass: false,
        message: `This PostgreSQL database belongs to a cluster (a node of it is at ${member.address}), and QUIRE_CLUSTER_ADDRESS is not set. Without it, functions would write to databases that the other nodes never see. Set QUIRE_CLUSTER_ADDRESS, as on the other nodes, or use another DATABASE_URL.`,
      };
    if (keeper && databases > 0) return keptElsewhere(keeper, databases);
    return undefined;
  }
  if (keeper && databases > 0) return keptElsewhere(keeper, databases);
  const single = others.find((other) => other.address === null && runs(other));
  if (single)
    return {
      mayPass: true,
      message: `A node without QUIRE_CLUSTER_ADDRESS runs on this PostgreSQL database, on ${single.host}. Stop it first: either all nodes have that setting, or there is one node.`,
    };
  const double = others.find((other) => other.address === address && runs(other));
  return (
    double && {
      mayPass: true,
      message: `QUIRE_CLUSTER_ADDRESS is ${address}, and another node, on ${double.host}, runs with the same address. Give each node an address of its own.`,
    }
  );
}

/** Either all nodes of a cluster that run use TLS, or none. */
function findMixture(
  others: FoundNode[],
  address: string | undefined,
  identity: NodeIdentity | undefined,
): Obstacle | undefined {
  if (address === undefined) return undefined;
  const isOn = identity !== undefined;
  const other = others.find(
    (node) => node.age < LEASE_MS && node.address !== null && (node.fingerprint !== null) !== isOn,
  );
  const [here, there] = isOn ? ['on', 'off'] : ['off', 'on'];
  return (
    other && {
      mayPass: true,
      message: `QUIRE_CLUSTER_TLS is ${here}, and it is ${there} at the node that runs at ${other.address}, so the two could not speak with each other. To turn it ${here}, stop all nodes, change it on each, and start them again. Otherwise set QUIRE_CLUSTER_TLS to ${there}.`,
    }
  );
}

/** Its number from before, or the lowest that no other node has. */
function chooseNumber(nodes: FoundNode[], name: string): number {
  const own = nodes.find((node) => node.name === name)?.number ?? null;
  if (own !== null) return own;
  const taken = new Set(nodes.map(({ number }) => number));
  let number = 1;
  while (taken.has(number)) number++;
  return number;
}

function keptElsewhere({ host, name }: FoundNode, databases: number): Obstacle {
  const are = databases === 1 ? 'One database of a function is' : `${databases} databases of functions are`;
  return {
    mayPass: false,
    message: `${are} in the data folder of another node, on ${host}, which alone can use them. To run several nodes, stop it and move everything with \`quire migrate-to-cluster\`. To run this one instead, give it that data folder (QUIRE_DATA). If the folder is lost, and the databases with it, say so to PostgreSQL: delete from nodes where name = '${name}'`,
  };
}

/** Throws if a single machine has stored function databases here: a cluster would silently ignore them. */
function assertFolder({ address, dataFolder }: NodeOptions): void {
  if (address === undefined) return;
  const found = existsSync(join(dataFolder, 'quire.db'))
    ? 'an installation of its own (quire.db)'
    : hasLocalDatabases(dataFolder)
      ? 'databases of functions (databases/)'
      : undefined;
  if (found)
    throw new NodeError(
      `The data folder ${dataFolder} has ${found} from before QUIRE_CLUSTER_ADDRESS was set, and a node of a cluster would not use it. Move it into the cluster with \`quire migrate-to-cluster ${dataFolder}\` and an empty QUIRE_DATA, or set QUIRE_DATA to an empty folder.`,
    );
}

function hasLocalDatabases(dataFolder: string): boolean {
  const folder = join(dataFolder, 'databases');
  return existsSync(folder) && readdirSync(folder).length > 0;
}
