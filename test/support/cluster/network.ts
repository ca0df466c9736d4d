import type { Network } from './cluster.ts';

/**
 * Machines that can be disconnected: each node of a cluster runs in its own network namespace. A bridge connects them
 * to what they share. As on a real network, packets are lost silently.
 */
export interface CutNetwork extends Network {
  /** Drops everything between the node and these parts, in both directions. */
  cut(node: string, parts: string[]): void;
  /** Stops dropping packets of the node. */
  heal(node: string): void;
  remove(): Promise<void>;
}

const PATH = `${process.env.PATH}:/usr/sbin:/sbin`;
const KEEPER = 'read -r _; ip link del "$1"; shift; for space; do ip netns del "$space"; done';

const SHARED = ['postgres', 'redis', 's3'];

/** Why namespaces cannot be created here, or undefined. */
export function whyNoNamespaces(): string | undefined {
  for (const program of ['ip', 'nft']) if (!which(program)) return `${program} is missing`;
  const made = Bun.spawnSync(['unshare', '--net', 'true']);
  return made.success ? undefined : `network namespaces are not permitted: ${made.stderr}`;
}

/** A command prefix that runs a program where nobody else notices its networks; nothing if that is not possible. */
export function ownNetwork(): string[] {
  if (whyNoNamespaces() !== undefined) return [];
  return ['unshare', '--net', 'sh', '-c', `PATH=${PATH} ip link set lo up && exec "$@"`, 'sh'];
}

let networks = 0;

export function makeNetwork(nodes: string[]): CutNetwork {
  // Unique, so that two runs at the same time do not collide, nor two files of one run: the kernel takes a while to
  // remove what is left of the first.
  const tag = `q${process.pid.toString(36)}n${networks++}`;
  const subnet = `10.${(process.pid >> 8) & 255}.${process.pid & 255}`;
  const bridge = `${tag}b`;
  const hosts = new Map([...SHARED, ...nodes].map((part, index) => [part, `${subnet}.${index + 2}`]));
  const findHost = (part: string) => hosts.get(part) ?? `${subnet}.1`;
  const toSpaceName = (node: string) => `${tag}-${node}`;
  const within = (node: string) =>
    nodes.includes(node) ? [which('ip') ?? 'ip', 'netns', 'exec', toSpaceName(node)] : [];
  const inside = (node: string, ...command: string[]) =>
    run('ip', 'netns', 'exec', toSpaceName(node), ...command);

  // The kernel would keep all of it if this process is killed, so a helper process removes it.
  const keeper = Bun.spawn(['sh', '-c', KEEPER, 'keeper', bridge, ...nodes.map(toSpaceName)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH },
    detached: true,
  });
  const remove = async () => {
    keeper.stdin.end();
    await keeper.exited;
  };
  try {
    run('ip', 'link', 'add', bridge, 'type', 'bridge');
    for (const part of ['itself', ...SHARED]) run('ip', 'addr', 'add', `${findHost(part)}/24`, 'dev', bridge);
    run('ip', 'link', 'set', bridge, 'up');
    for (const [index, node] of nodes.entries()) {
      const [near, far] = [`${tag}v${index}`, 'eth0'];
      run('ip', 'netns', 'add', toSpaceName(node));
      run('ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', toSpaceName(node));
      run('ip', 'link', 'set', near, 'master', bridge, 'up');
      inside(node, 'ip', 'link', 'set', 'lo', 'up');
      inside(node, 'ip', 'addr', 'add', `${findHost(node)}/24`, 'dev', far);
      inside(node, 'ip', 'link', 'set', far, 'up');
    }
  } catch (error) {
    void remove();
    throw error;
  }
  return {
    findHost,
    within,
    cut(node, parts) {
      const addresses = parts.map(findHost).join(', ');
      inside(
        node,
        'nft',
        `
        table inet cut {
          chain out { type filter hook output priority 0; ip daddr { ${addresses} } drop; }
          chain in { type filter hook input priority 0; ip saddr { ${addresses} } drop; }
        }`,
      );
    },
    heal: (node) => inside(node, 'nft', 'delete', 'table', 'inet', 'cut'),
    remove,
  };
}

const which = (program: string) => Bun.which(program, { PATH });

function run(program: string, ...args: string[]): void {
  const result = Bun.spawnSync([which(program) ?? program, ...args], { env: { PATH } });
  if (!result.success) throw new Error(`${program} ${args.join(' ')}: ${result.stderr}`);
}
